"""The tables of an evolution: generations.csv and individuals.csv."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdl_miner.agent.features import FEATURE_CLASSES
from gdl_miner.miner.learners.evolution.chromosome import Chromosome
from gdl_miner.miner.learners.evolution.genome import GENOME
from gdl_miner.miner.learners.evolution.standing import GenerationResult, Standing
from gdl_miner.miner.results.tables import Cell, TableRow

__all__ = [
    "GENERATIONS",
    "GENERATIONS_FILE",
    "INDIVIDUALS",
    "INDIVIDUALS_FILE",
    "UNIT",
    "count_classes",
    "generation_row",
    "individual_columns",
    "individual_rows",
]

UNIT = "generation"  # name of a step
GENERATIONS_FILE = "generations.csv"
INDIVIDUALS_FILE = "individuals.csv"

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


def individual_columns(genes: Sequence[str]) -> tuple[str, ...]:
    """Return INDIVIDUALS with the columns of the optional genes among the genes of a run."""
    return (*INDIVIDUALS, *(name for name in genes if name not in GENOME.names))


def count_classes(chromosome: Chromosome) -> dict[str, int]:
    """Return the number of features of each class in all lists of a chromosome."""
    counts = dict.fromkeys(_CLASSES, 0)
    for features in (*chromosome.winning, *chromosome.losing):
        for entry in features:
            counts[entry.feature.element] += 1
    return counts


def generation_row(result: GenerationResult, features_mined: int | None) -> TableRow:
    """Return the row of GENERATIONS for a finished generation."""
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
        result.work_ratio[best.individual.name],
        *(chromosome[gene] for gene in ("uct_c", "puct_c", "expansions", "bias", "impact")),
    ]


def individual_rows(result: GenerationResult) -> Iterator[TableRow]:
    """Yield the rows of `individual_columns` for a finished generation, best first."""
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
            result.work_ratio[individual.name],
            individual.chromosome.features,
            *count_classes(individual.chromosome).values(),
            *individual.chromosome.values,
        ]


def _score_cells(standing: Standing) -> list[Cell]:
    score, rating = standing.score, standing.rating
    low, high = score.ci95
    return [score.matches, score.wins, score.draws, score.losses, score.win_percent, low, high, rating.elo, rating.se]
