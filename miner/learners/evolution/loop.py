"""The evolution, ask/tell (thesis algorithm 4.2).

    matches without knowledge → mine → first population
    → [ tournament rounds → ratings → select, cross, mutate, replace → mine → learn ] per generation
    → validate the champion on fresh matches

`ask` names the work that comes next, `tell_…` takes its result. Playing, mining, files and clocks stay outside. What
the evolution decides follows from its configuration and from what it is told; every random draw is derived from the
run's seed and the names of what it is for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeAlias, TypeVar

from agent.search.seeds import derive_seed
from miner.learners.evolution.chromosome import Chromosome
from miner.learners.evolution.config import RunConfig
from miner.learners.evolution.population import Individual, first_population, next_population
from miner.learners.evolution.standing import GenerationResult, Standing
from miner.play.pairing import MatchRequest, make_pair
from miner.play.rating import BASELINE, Rating, Score, dispersion, fit_ratings
from miner.play.tournament import Tournament, TournamentPlan

__all__ = ["Evolution", "EvolutionState", "MineRequest", "Phase", "PlayRequest"]

Mined = TypeVar("Mined")
Phase: TypeAlias = Literal["without knowledge", "tournament", "validation"]
_VALIDATION_SD = 400.0  # Elo; a wide prior, because a champion's many fresh matches speak for themselves


@dataclass(frozen=True)
class PlayRequest:
    """Matches to play. Player 0 is the baseline, player i individual i - 1."""

    phase: Phase
    generation: int
    round: int  # from 0
    rounds: int
    individuals: tuple[Individual, ...]
    matches: tuple[MatchRequest, ...]


@dataclass(frozen=True)
class MineRequest:
    """Records up to this generation are to be mined."""

    generation: int
    seed: int


@dataclass(frozen=True)
class EvolutionState:
    """Where an evolution stands between two generations: enough to go on exactly as if never interrupted."""

    generation: int = 0  # to be played next; 0: without knowledge; one past the last: validation
    population: tuple[Individual, ...] = ()
    champion: Standing | None = None  # first of the last generation played


class Evolution(Generic[Mined]):
    """Use: `while request := e.ask(): e.tell_…(…)`. Mined is whatever the miner returns and `learn` understands."""

    def __init__(
        self,
        config: RunConfig,
        roles: int,
        learn: Callable[[Chromosome, Mined], Chromosome],
        state: EvolutionState | None = None,
    ) -> None:
        self._config = config
        self._genome = config.genome()
        self._breeding = config.evolution.breeding()
        self._roles = roles
        self._learn = learn
        self._state = state or EvolutionState()
        self._tournament: Tournament | None = None
        self._result: GenerationResult | None = None
        self._validation: Standing | None = None
        self._asked: PlayRequest | MineRequest | None = None
        self._finished = False

    @property
    def state(self) -> EvolutionState:
        """Where the evolution stands; changes only between generations."""
        return self._state

    @property
    def result(self) -> GenerationResult | None:
        """The generation finished last, since this object was made."""
        return self._result

    @property
    def validation(self) -> Standing | None:
        """The champion on fresh matches; None until they are played."""
        return self._validation

    def ask(self) -> PlayRequest | MineRequest | None:
        """The next piece of work; the same until its result is told; None when all is done."""
        if self._asked is None and not self._finished:
            self._asked = self._next()
        return self._asked

    def tell_goals(self, goals: Mapping[str, Sequence[int]]) -> None:
        """Takes the goals of every role for every match asked for. Raises ValueError where none were asked for."""
        request = self._asked
        if not isinstance(request, PlayRequest):
            raise ValueError("no matches were asked for; call ask() first and play what it names")
        self._asked = None
        if request.phase == "tournament":
            self._finish_round(goals)
        elif request.phase == "validation":
            self._finish_validation(request, goals)
        else:
            self._result = GenerationResult(0, (), len(request.matches))

    def tell_mined(self, mined: Mined) -> None:
        """Takes what was mined: the next population learns it. Raises ValueError where nothing was to be mined."""
        request = self._asked
        if not isinstance(request, MineRequest) or self._result is None:
            raise ValueError("no mining was asked for; call ask() first and mine what it names")
        self._asked = None
        generation, seed = request.generation + 1, self._config.seed
        if generation == 1:
            people = first_population(self._breeding, self._genome, seed)
        else:
            ranked = [standing.individual for standing in self._result.standings]
            people = next_population(ranked, self._breeding, self._genome, seed, generation)
        taught = tuple(self._taught(individual, mined) for individual in people)
        self._state = EvolutionState(generation, taught, self._result.best)
        self._result = None

    def _next(self) -> PlayRequest | MineRequest | None:
        generation = self._state.generation
        if self._result is not None and self._result.generation == generation:
            return MineRequest(generation, derive_seed(self._config.seed, "mining", generation))
        if generation == 0:
            return self._without_knowledge()
        if generation > self._config.evolution.generations:
            return self._validate()
        return self._tournament_round(generation)

    def _without_knowledge(self) -> PlayRequest:
        count = self._config.tournament.matches_without_knowledge
        seats = (BASELINE,) * self._roles
        matches = tuple(
            MatchRequest(f"g000-m{number:05d}", seats, derive_seed(self._config.seed, "without knowledge", number))
            for number in range(count)
        )
        return PlayRequest("without knowledge", 0, 0, 1, (), matches)

    def _tournament_round(self, generation: int) -> PlayRequest:
        settings = self._config.tournament
        if self._tournament is None:
            players = len(self._state.population)
            plan = TournamentPlan(
                players, self._roles, settings.matches_per_individual, settings.rounds, settings.growth
            )
            self._tournament = Tournament(plan, self._config.seed, generation, settings.prior_sd)
        tournament = self._tournament
        matches = tuple(match for pair in tournament.ask() for match in pair.matches)
        return PlayRequest(
            "tournament", generation, tournament.round, tournament.rounds, self._state.population, matches
        )

    def _finish_round(self, goals: Mapping[str, Sequence[int]]) -> None:
        tournament = self._tournament
        assert tournament is not None
        tournament.tell(goals)
        if tournament.ask():
            return
        self._tournament = None
        self._result = self._generation_result(tournament)
        if self._state.generation == self._config.evolution.generations:
            self._state = replace(
                self._state, generation=self._state.generation + 1, champion=self._result.best, population=()
            )

    def _generation_result(self, tournament: Tournament) -> GenerationResult:
        scores, ratings, rounds = tournament.scores, tournament.ratings(), tournament.rounds_played
        standings = tuple(
            Standing(self._state.population[player - 1], scores[player], ratings[player], rounds[player])
            for player in tournament.ranking()
        )
        return GenerationResult(
            self._state.generation, standings, sum(standing.score.matches for standing in standings)
        )

    def _validate(self) -> PlayRequest | None:
        champion = self._state.champion
        pairs = -(-self._config.tournament.validation_matches // max(2, self._roles))
        if champion is None or pairs == 0:
            self._finished = True
            return None
        matches = tuple(
            match
            for number in range(pairs)
            for match in make_pair(
                f"v-p{number:05d}", 1, derive_seed(self._config.seed, "validation", number), self._roles
            ).matches
        )
        return PlayRequest("validation", self._state.generation, 0, 1, (champion.individual,), matches)

    def _finish_validation(self, request: PlayRequest, goals: Mapping[str, Sequence[int]]) -> None:
        score = Score()
        for number in range(len(request.matches) // max(2, self._roles)):
            score += make_pair(f"v-p{number:05d}", 1, 0, self._roles).score(goals)
        rating: Rating = fit_ratings(2, [(1, BASELINE, score)], _VALIDATION_SD, dispersion([score]))[1]
        self._validation = Standing(request.individuals[0], score, rating, 1)
        self._finished = True

    def _taught(self, individual: Individual, mined: Mined) -> Individual:
        if individual.origin == "elite" and not self._config.evolution.elites_learn:
            return individual
        return replace(individual, chromosome=self._learn(individual.chromosome, mined))
