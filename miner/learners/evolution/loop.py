"""The evolution as a learner with ask/tell (thesis algorithm 4.2).

    [ training games ] per step of values → trials of the values → matches without knowledge → mine → first population
    → [ tournament rounds → ratings → select, cross, mutate, replace → mine → learn ] per generation
    → prune the champion's features → validate it on fresh matches

Generations are the steps of the run. The evolution's decisions follow from its configuration and from the results it is
told; every random draw derives from the run's seed and from names that say what the draw is for.

Values of states, learned from the training games or read from a file, are the same for all individuals; genes say how
much an individual uses them. A player with these values and its own parameters, the start, takes part in the first
generation as it is. Values from training games that are not clearly ahead of bare UCT in deeper searches are tried
mixed with playouts, too. They are used as they have more points; where they lose both ways, the evolution goes on
without them. Values that are used alone then meet the same values mixed with playouts in long searches; where these
are clearly better, all individuals trust their values alone only in shorter searches. Features with conditions in a
file are candidates of every fit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.learners.evolution.chromosome import Chromosome
from gdl_miner.miner.learners.evolution.config import EvolutionConfig, use_of
from gdl_miner.miner.learners.evolution.population import Individual, first_population, ignorant, next_population
from gdl_miner.miner.learners.evolution.standing import GenerationResult, Standing, summary_of
from gdl_miner.miner.learners.evolution.state import EvolutionState
from gdl_miner.miner.learners.evolution.tables import (
    GENERATIONS_FILE,
    INDIVIDUALS_FILE,
    generation_row,
    individual_rows,
)
from gdl_miner.miner.learners.learner import KnowledgeMaker
from gdl_miner.miner.learners.requests import (
    START,
    EndStep,
    Entrant,
    LongSearchesTried,
    MatchResults,
    MineRecords,
    PlayMatches,
    Prune,
    Pruned,
    Request,
    Result,
    SearchPositions,
    TrainedValues,
    TrainValues,
    TryLongSearches,
    TryValues,
    Validate,
    Validation,
    ValuesTried,
)
from gdl_miner.miner.learners.values.training import training_before
from gdl_miner.miner.mining.candidates import candidates_of
from gdl_miner.miner.mining.mined import MinedKnowledge
from gdl_miner.miner.play.pairing import MatchRequest
from gdl_miner.miner.play.rating import BASELINE
from gdl_miner.miner.play.tournament import Tournament, TournamentPlan

__all__ = ["Evolution"]

Expected = TypeVar("Expected")


class Evolution:
    """One evolution. Use: `while (request := e.ask()) is not None: e.tell(its result)`."""

    def __init__(self, config: EvolutionConfig, maker: KnowledgeMaker, state: EvolutionState | None = None) -> None:
        self._config = config
        self._maker = maker
        start = None if maker.valued_start is None else Entrant(START, maker.valued_start)
        self._value_steps = config.evolution.value_steps if start is None else 0
        self._breeding = config.evolution.breeding()
        self._state = state or EvolutionState(start=start)
        without = start is None and self._value_steps == 0
        self._genomes = config.genomes("none" if without else self._state.use)
        untried = start is None and config.evolution.trial_matches > 0 and self._trusted == 0
        self._tried = not untried  # whether values need no trial any more
        self._trials: tuple[ValuesTried, ...] = ()  # of values alone, and then of those mixed with playouts
        self._tournament: Tournament | None = None
        self._result: GenerationResult | None = None
        self._ended = False  # whether the present generation has ended and only its learning is left
        self._taught = False  # whether training positions of the present generation were searched
        self._pruned: Entrant | None = None
        self._validation: Validation | None = None
        self._asked: Request | None = None

    @property
    def state(self) -> EvolutionState:
        """The state of the evolution, which changes only between generations."""
        return self._state

    @property
    def members(self) -> tuple[Entrant, ...]:
        """The population; before the first one, the player with the values learned so far."""
        if self._state.generation == 0 and self._state.start is not None:
            return (self._state.start,)
        return tuple(self._entrant(individual) for individual in self._state.population)

    @property
    def validation(self) -> Validation | None:
        """The result of the champion in fresh matches; None until they are played."""
        return self._validation

    def knowledge(self) -> Entrant | None:
        """Return the best individual of the last generation that was played, in the end without what was pruned."""
        champion = self._state.champion
        if self._pruned is not None or champion is None:
            return self._pruned
        return self._entrant(champion.individual, self._state.generation - 1)

    def ask(self) -> Request | None:
        """Return the work that comes next; None when all work is done.

        The answer stays the same until its result is told.
        """
        if self._asked is None:
            self._asked = self._next()
        return self._asked

    def tell(self, result: Result) -> None:
        """Take the result of the request. Raises ValueError where the request asked for something else."""
        match self._asked:
            case PlayMatches() as request:
                self._finish_matches(request, _expected(MatchResults, result, "play the matches it names"))
            case TrainValues():
                self._take_values(_expected(TrainedValues, result, "play the training games it names"))
            case TryValues() as request:
                self._finish_trial(request, _expected(ValuesTried, result, "play the matches of the trial"))
            case TryLongSearches() as request:
                self._finish_long_trial(request, _expected(LongSearchesTried, result, "play the matches of the trial"))
            case EndStep():
                self._finish_generation()
            case SearchPositions():
                self._taught = True
            case MineRecords() as request:
                self._breed(request.step + 1, _expected(MinedKnowledge, result, "mine what it names"))
            case Prune():
                self._pruned = _expected(Pruned, result, "prune whom it names").entrant
            case Validate():
                self._validation = _expected(Validation, result, "validate whom it names")
            case None:
                raise ValueError("nothing was asked for; call ask() first")
        self._asked = None

    def _next(self) -> Request | None:
        generation = self._state.generation
        if self._result is not None:
            return self._end() if not self._ended else self._learn()
        if generation == 0:
            if self._state.value_steps < self._value_steps:
                return self._training()
            return self._trial() or self._without_knowledge()
        if generation > self._config.evolution.generations:
            return self._prune() or self._validate()
        return self._tournament_round(generation)

    def _training(self) -> TrainValues:
        state, steps = self._state, self._value_steps
        return training_before(self._config.values, self._config.seed, state.value_steps, steps, state.learned)

    def _take_values(self, trained: TrainedValues) -> None:
        steps, nothing = self._state.value_steps + 1, ((),) * len(self._maker.roles)
        knowledge = self._maker.knowledge(nothing, nothing, self._config.values.parameters(), 0, trained.values)
        learned = trained.learned if steps < self._value_steps else None
        self._state = replace(self._state, start=Entrant(START, knowledge), value_steps=steps, learned=learned)

    def _trial(self) -> TryValues | TryLongSearches | None:
        start, config = self._state.start, self._config
        settings = config.evolution
        if self._tried or self._state.use != "any" or start is None:
            return None
        knowledge = start.knowledge
        mixed = Entrant(f"{START}-mixed", replace(knowledge, parameters=knowledge.parameters.mixed()))
        if self._is_use_open():
            entrant = mixed if self._trials else start
            return TryValues(0, config.seed, entrant, settings.trial_depth, settings.trial_matches)
        depth, trusted = config.long_depth, config.trusted_playouts
        return TryLongSearches(0, config.seed, mixed, start, depth, settings.long_matches, trusted)

    def _is_use_open(self) -> bool:
        """Return whether values alone, or mixed with playouts, are yet to meet the baseline."""
        if not self._trials:
            return True
        return len(self._trials) == 1 and self._trials[0].verdict != "ahead" and self._config.mixes

    def _finish_trial(self, request: TryValues, result: ValuesTried) -> None:
        self._trials += (result,)
        if self._is_use_open():
            return
        use = use_of(self._trials)
        if use == "any":
            self._tried = not self._config.tries_long_searches
            return
        self._tried = True
        mixed = Entrant(START, request.entrant.knowledge) if use == "mixed" else None
        self._state = replace(self._state, start=mixed, use=use)
        self._genomes = self._config.genomes(use)

    def _finish_long_trial(self, request: TryLongSearches, result: LongSearchesTried) -> None:
        self._tried = True
        if result.mixed_is_stronger:
            knowledge = request.alone.knowledge
            parameters = replace(knowledge.parameters, trusted_playouts=request.trusted_playouts)
            self._state = replace(self._state, start=Entrant(START, replace(knowledge, parameters=parameters)))

    def _without_knowledge(self) -> PlayMatches:
        count = self._config.tournament.matches_without_knowledge
        seats = (BASELINE,) * len(self._maker.roles)
        matches = tuple(
            MatchRequest(f"g000-m{number:05d}", seats, derive_seed(self._config.seed, "without knowledge", number))
            for number in range(count)
        )
        return PlayMatches(0, "without knowledge", 0, "generation 0, without knowledge", (), matches)

    def _tournament_round(self, generation: int) -> PlayMatches:
        settings = self._config.tournament
        if self._tournament is None:
            players = len(self._state.population)
            plan = TournamentPlan(
                players, len(self._maker.roles), settings.matches_per_individual, settings.rounds, settings.growth
            )
            self._tournament = Tournament(plan, self._config.seed, generation, settings.prior_sd)
        tournament = self._tournament
        title = f"generation {generation}, round {tournament.round + 1} of {tournament.rounds}"
        matches = tuple(match for pair in tournament.ask() for match in pair.matches)
        return PlayMatches(generation, "tournament", tournament.round, title, self.members, matches)

    def _finish_matches(self, request: PlayMatches, results: MatchResults) -> None:
        tournament = self._tournament
        if tournament is None:
            self._result = GenerationResult(0, (), len(request.matches), {})
            return
        tournament.tell(results.goals)
        if tournament.ask():
            return
        self._tournament = None
        scores, ratings, rounds = tournament.scores, tournament.ratings(), tournament.rounds_played
        standings = tuple(
            Standing(self._state.population[player - 1], scores[player], ratings[player], rounds[player])
            for player in tournament.ranking()
        )
        matches = sum(standing.score.matches for standing in standings)
        self._result = GenerationResult(request.step, standings, matches, results.work_ratio)

    def _end(self) -> EndStep:
        result = self._finished_generation()
        rows = {
            INDIVIDUALS_FILE: tuple(individual_rows(result)),
            GENERATIONS_FILE: (generation_row(result, self._state.features_mined),),
        }
        best = result.best
        if best is None:
            return EndStep(result.generation, rows, None)
        return EndStep(
            result.generation,
            rows,
            best.individual.name,
            summary_of(result, self._config.evolution.generations),
            f"best {best.rating.elo:+.0f} ± {best.rating.se:.0f} Elo",
        )

    def _finish_generation(self) -> None:
        result = self._finished_generation()
        self._ended = True
        if result.generation == self._config.evolution.generations:
            self._state = replace(self._state, generation=result.generation + 1, champion=result.best, population=())
            self._begin_generation()

    def _begin_generation(self) -> None:
        self._result = None
        self._ended = self._taught = False

    def _learn(self) -> SearchPositions | MineRecords:
        result, teaching = self._finished_generation(), self._config.teaching
        generation = result.generation
        seed = derive_seed(self._config.seed, "mining", generation)
        if teaching.positions and not self._taught:
            best = None if result.best is None else self._entrant(result.best.individual)
            return SearchPositions(generation, seed, teaching.positions, teaching.playouts, best)
        return MineRecords(generation, seed, teaching.positions > 0, candidates_of(self._maker.start))

    def _breed(self, generation: int, mined: MinedKnowledge) -> None:
        """Make the next population from the ranking and let it learn the mined features."""
        result, seed = self._finished_generation(), self._config.seed
        if generation == 1:
            start = self._state.start
            player = None if start is None else Chromosome.of_player(start.knowledge, self._genomes[0])
            people = first_population(self._breeding, self._genomes, seed, player)
        else:
            ranked = [standing.individual for standing in result.standings]
            if result.standings[0].rating.elo <= 0:
                ranked.insert(0, ignorant(self._genomes, len(self._maker.roles)))
            people = next_population(ranked, self._breeding, self._genomes, seed, generation)
        learned = tuple(self._learned(individual, mined) for individual in people)
        self._state = replace(
            self._state,
            generation=generation,
            population=learned,
            champion=result.best,
            features_mined=sum(map(len, mined.features)),
        )
        self._begin_generation()

    def _learned(self, individual: Individual, mined: MinedKnowledge) -> Individual:
        if individual.origin in ("elite", "start") and not self._config.evolution.elites_learn:
            return individual
        return replace(individual, chromosome=individual.chromosome.learned(mined))

    @property
    def _trusted(self) -> int:
        """The playouts of the longest search in which individuals trust values alone; 0: any, or a gene says it."""
        start = self._state.start
        return 0 if start is None or self._config.evolves_trust else start.knowledge.parameters.trusted_playouts

    def _prune(self) -> Prune | None:
        champion, settings = self.knowledge(), self._config.pruning
        if champion is None or self._pruned is not None or not settings.matches or not champion.knowledge.n_features:
            return None
        return Prune(self._state.generation, derive_seed(self._config.seed, "pruning"), champion, settings)

    def _validate(self) -> Validate | None:
        champion, matches = self.knowledge(), self._config.tournament.validation_matches
        if champion is None or matches == 0 or self._validation is not None:
            return None
        return Validate(self._state.generation, champion, matches)

    def _finished_generation(self) -> GenerationResult:
        assert self._result is not None
        return self._result

    def _entrant(self, individual: Individual, generation: int | None = None) -> Entrant:
        """Return an individual of a generation, by default of the present one, as a player."""
        chromosome, start = individual.chromosome, self._state.start
        parameters = chromosome.parameters()
        if self._trusted and parameters != parameters.mixed():
            parameters = replace(parameters, trusted_playouts=self._trusted)
        knowledge = self._maker.knowledge(
            chromosome.winning,
            chromosome.losing,
            parameters,
            self._state.generation if generation is None else generation,
            None if start is None else start.knowledge.values,
        )
        return Entrant(individual.name, knowledge)


def _expected(kind: type[Expected], result: Result, what: str) -> Expected:
    """Return the result. Raises ValueError where it is not of the kind that the request asked for."""
    if not isinstance(result, kind):
        raise ValueError(f"{kind.__name__} was asked for, not {type(result).__name__}; call ask() first and {what}")
    return result
