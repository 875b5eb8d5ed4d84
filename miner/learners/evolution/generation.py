"""A generation of players with features: its tournament, and what it says about them."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gdl_miner.miner.learners.evolution.config import EvolutionConfig
from gdl_miner.miner.learners.evolution.population import Individual
from gdl_miner.miner.play.pairing import OPENING_PLIES
from gdl_miner.miner.play.rating import Rating, Score
from gdl_miner.miner.play.tournament import Tournament, TournamentPlan
from gdl_miner.miner.play.wording import describe_score
from gdl_miner.miner.runs.entrant import Entrant
from gdl_miner.miner.runs.matches import Depth, play_matches
from gdl_miner.miner.runs.task import Task


@dataclass(frozen=True)
class RatedPlayer:
    """A player with its rating over the origin of the run's Elo scale."""

    player: Entrant
    rating: Rating


@dataclass(frozen=True)
class Standing:
    """An individual, its score against the opponent of its tournament and its rating."""

    individual: Individual
    score: Score
    rating: Rating  # over the origin of the run's Elo scale
    rounds: int  # rounds of the tournament that the individual took part in


@dataclass(frozen=True)
class GenerationResult:
    """A finished generation; generation 0 has no individuals."""

    generation: int
    standings: tuple[Standing, ...]  # best first
    matches: int
    work_ratio: Mapping[str, float]  # by individual: cost of its playout divided by that of the baseline's playout

    @property
    def best(self) -> Standing | None:
        """The first individual of the ranking."""
        return self.standings[0] if self.standings else None

    def mean_win_percent(self) -> float | None:
        """Return the mean win percentage of the population."""
        return _mean([each.score.win_percent for each in self.standings])


def summary_of(result: GenerationResult, generations: int) -> str:
    """Return one line about a generation with individuals; `generations` is the number that the run plans."""
    best = result.best
    assert best is not None
    return (
        f"generation {result.generation} of {generations}: best {best.individual.name} "
        f"{describe_score(best.score, best.rating)}; "
        f"mean {result.mean_win_percent():.1f} %, {result.matches} matches"
    )


def play_tournament(
    config: EvolutionConfig,
    generation: int,
    population: Sequence[Individual],
    entrants: tuple[Entrant, ...],
    rival: RatedPlayer | None = None,
) -> Generator[Task[Any], Any, GenerationResult]:
    """Play the tournament of a generation, and give the individuals their fitness.

    All meet bare UCT, or a rival where nearly all would win against that. Against a rival the last round is deeper.

    Args:
        config: the configuration.
        generation: the number of the generation.
        population: the individuals.
        entrants: they as players.
        rival: whom they meet.
    """
    settings, roles, people = config.tournament, len(entrants[0].knowledge.roles), len(population)
    plan = TournamentPlan(people, roles, settings.matches_per_individual, settings.rounds, settings.growth)
    if rival is not None:
        entrants = (*entrants, rival.player)
        plan = replace(plan, opponent=len(entrants), opening_plies=OPENING_PLIES)
    tournament = Tournament(plan, config.seed, generation, settings.prior_sd)
    while pairs := tournament.ask():
        title = f"generation {generation}, round {tournament.round + 1} of {tournament.rounds}"
        matches = tuple(match for pair in pairs for match in pair.matches)
        deeper = rival is not None and tournament.round + 1 == tournament.rounds
        depth = Depth(settings.deeper if deeper else 1.0, settings.seconds)
        part = (generation, "tournament", tournament.round)
        results = yield from Task(play_matches, *part, title, entrants, matches, False, depth)
        tournament.tell(results.goals)
    origin = Rating(0.0, 0.0) if rival is None else rival.rating
    scores, rounds = tournament.scores, tournament.rounds_played
    ratings = [origin.plus(rating) for rating in tournament.ratings()]
    standings = tuple(
        Standing(population[player - 1], scores[player], ratings[player], rounds[player])
        for player in tournament.ranking()
    )
    for standing in standings:
        standing.individual.fitness.values = (standing.rating.elo,)
    played = sum(standing.score.matches for standing in standings)
    return GenerationResult(generation, standings, played, results.work_ratio)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
