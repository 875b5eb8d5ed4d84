"""The CSV files of a run: which columns they have, and how a value is written.

All numbers are written so that the same run gives the same bytes; what a clock says goes to timings.csv alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from agent.knowledge import FEATURE_CLASSES
from agent.search.records import MatchBatchRecord
from miner.learners.evolution.chromosome import Chromosome
from miner.learners.evolution.genome import GENOME
from miner.learners.evolution.loop import PlayRequest
from miner.learners.evolution.population import Individual
from miner.learners.evolution.standing import GenerationResult, Standing

__all__ = [
    "GENERATIONS",
    "INDIVIDUALS",
    "MATCHES",
    "TIMINGS",
    "Cell",
    "Row",
    "count_classes",
    "generation_row",
    "individual_rows",
    "match_rows",
    "show",
]

Cell: TypeAlias = str | int | float | bool | None
Row: TypeAlias = Sequence[Cell]
WorkRatio: TypeAlias = Callable[[Individual], float]  # what a playout costs, one of the baseline being 1

_CLASSES = tuple(each.element for each in FEATURE_CLASSES)
_SCORE = ("matches", "wins", "draws", "losses", "win_percent", "ci95_low", "ci95_high", "elo", "elo_se")

GENERATIONS = (
    "generation",
    "matches",
    "best",
    *(f"best_{name}" for name in _SCORE),
    "mean_elo",
    "min_elo",
    "mean_win_percent",
    "features_mined",
    "best_features",
    "mean_features",
    "best_work_ratio",
    "best_uct_c",
    "best_puct_c",
    "best_expansions",
    "best_bias",
    "best_impact",
)
INDIVIDUALS = (
    "generation",
    "rank",
    "name",
    "origin",
    "parents",
    "rounds",
    *_SCORE,
    "work_ratio",
    "features",
    *_CLASSES,
    *GENOME.names,
)
MATCHES = ("id", "generation", "phase", "round", "players", "seed", "goals", "steps", "playouts")
TIMINGS = ("generation", "work", "round", "matches", "playouts", "seconds", "matches_per_s", "playouts_per_s")


def show(cell: Cell) -> str:
    """The text of a cell; empty for None, `true` and `false` for switches, at most six decimals for numbers."""
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case float():
            return f"{cell:.6f}".rstrip("0").rstrip(".")
        case _:
            return str(cell)


def count_classes(chromosome: Chromosome) -> dict[str, int]:
    """Features of each class in all lists of a chromosome."""
    counts = dict.fromkeys(_CLASSES, 0)
    for features in (*chromosome.winning, *chromosome.losing):
        for entry in features:
            counts[entry.feature.element] += 1
    return counts


def generation_row(result: GenerationResult, features_mined: int | None, work_ratio: WorkRatio) -> Row:
    """The row of GENERATIONS for a finished generation."""
    best = result.best
    if best is None:
        return [result.generation, result.matches, *[None] * 13, features_mined, *[None] * 8]
    chromosome = best.individual.chromosome
    return [
        result.generation,
        result.matches,
        best.individual.name,
        *_score_cells(best),
        result.mean_elo(),
        min(standing.rating.elo for standing in result.standings),
        result.mean_win_percent(),
        features_mined,
        chromosome.features,
        result.mean_features(),
        work_ratio(best.individual),
        *(chromosome[gene] for gene in ("uct_c", "puct_c", "expansions", "bias", "impact")),
    ]


def individual_rows(result: GenerationResult, work_ratio: WorkRatio) -> Iterator[Row]:
    """The rows of INDIVIDUALS for a finished generation, best first."""
    for rank, standing in enumerate(result.standings, 1):
        individual = standing.individual
        yield [
            result.generation,
            rank,
            individual.name,
            individual.origin,
            " ".join(individual.parents),
            standing.rounds,
            *_score_cells(standing),
            work_ratio(individual),
            individual.chromosome.features,
            *count_classes(individual.chromosome).values(),
            *individual.chromosome.values,
        ]


def _score_cells(standing: Standing) -> list[Cell]:
    score, rating = standing.score, standing.rating
    low, high = score.ci95
    return [score.matches, score.wins, score.draws, score.losses, score.win_percent, low, high, rating.elo, rating.se]


def match_rows(request: PlayRequest, record: MatchBatchRecord) -> list[Row]:
    """Rows of matches.csv, in the order of the request."""
    names = ("baseline", *(individual.name for individual in request.individuals))
    steps = np.diff(record.start) - 1
    return [
        (
            match.id,
            request.generation,
            request.phase,
            request.round,
            " ".join(names[player] for player in match.seats),
            match.seed,
            " ".join(str(goal) for goal in record.goals[number].tolist()),
            int(steps[number]),
            int(record.playouts[number].sum()),
        )
        for number, match in enumerate(request.matches)
    ]
