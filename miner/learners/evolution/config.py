"""The configuration of an evolution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from gdl_miner.agent.knowledge.parameters import MOST_MIXED
from gdl_miner.agent.limits import MAX_COUNT, MAX_FACTOR, MAX_PLAYOUTS, MAX_SEED
from gdl_miner.agent.values.layout import MOST_WEIGHTS
from gdl_miner.miner.learners.evolution.genome import GENOME, GENOME_WITH_VALUES, POLICY, VALUE_GENES, Genome
from gdl_miner.miner.learners.evolution.population import Breeding
from gdl_miner.miner.learners.values.settings import ValuesSettings
from gdl_miner.miner.mining.learning import SCORING, reads_fit
from gdl_miner.miner.runs.settings import (
    AcceptanceSettings,
    ExecutionSettings,
    MiningTable,
    PruningSettings,
    RecordSettings,
    SearchSettings,
    Settings,
)
from gdl_miner.miner.runs.trials import ValuesTried

__all__ = [
    "MIXED",
    "TRUST",
    "EvolutionConfig",
    "EvolutionSettings",
    "NetworkSettings",
    "TeachingSettings",
    "TournamentSettings",
    "ValueUse",
    "use_of",
]

ValueUse: TypeAlias = Literal["always", "any", "mixed", "none"]  # how individuals may use their values of states
VALUED: Final = "valued_playouts"  # belongs to the values, too
TRUST: Final = "trusted_playouts"  # belongs to the values: without a gene, individuals have that of the start
MIXED: Final[Mapping[str, Any]] = {"value_weight": MOST_MIXED, "experience": 0}  # genes of a mixed use
GeneLimit: TypeAlias = bool | int | float | str | list[bool] | list[int | float] | list[str]


class EvolutionSettings(Settings):
    """The genetic algorithm."""

    generations: int = Field(ge=0, le=999)
    population: int = Field(ge=2, le=999)
    crossover: float = Field(ge=0, le=1)
    mutation: float = Field(ge=0, le=1)
    elitism: float = Field(ge=0, lt=1)
    newcomers: float = Field(ge=0, lt=1)
    spread: float = Field(ge=0, le=1)
    elites_learn: bool
    value_steps: int = Field(ge=0, le=999)
    trial_depth: float = Field(ge=1, le=1000)
    trial_matches: int = Field(ge=0, le=MAX_COUNT)
    trial_share: float = Field(gt=0, le=MAX_FACTOR)
    long_playouts: int = Field(ge=0, le=MAX_PLAYOUTS)
    long_matches: int = Field(ge=1, le=MAX_COUNT)

    @model_validator(mode="after")
    def _room_for_children(self) -> Self:
        if round(self.elitism * self.population) + round(self.newcomers * self.population) >= self.population:
            raise ValueError("elitism and newcomers together leave no room for children; lower one of them")
        return self

    def breeding(self) -> Breeding:
        """Return the part of the settings that the population needs."""
        return Breeding(self.population, self.crossover, self.elitism, self.newcomers, self.spread)


class NetworkSettings(Settings):
    """The evolution of value networks, with which a run begins."""

    generations: int = Field(ge=0, le=999)
    islands: int = Field(ge=1, le=999)
    exchange: int = Field(ge=1, le=999)
    population: int = Field(ge=2, le=999)
    least: int = Field(ge=2, le=999)
    shrink: float = Field(gt=0, le=1)
    seconds: float = Field(gt=0, le=MAX_FACTOR)
    growth: float = Field(ge=1, le=8)
    finalists: int = Field(ge=1, le=999)
    final_seconds: float = Field(gt=0, le=MAX_FACTOR)
    crossover: float = Field(ge=0, le=1)
    mutation: float = Field(ge=0, le=1)
    new_shapes: float = Field(ge=0, le=1)
    hall_of_fame: int = Field(ge=1, le=99)
    most_weights: int = Field(ge=1, le=MOST_WEIGHTS)
    depth: float = Field(ge=1, le=1000)
    matches: int = Field(ge=2, le=MAX_COUNT)
    deeper: float = Field(ge=1, le=1000)
    deeper_matches: int = Field(ge=0, le=MAX_COUNT)
    match_share: float = Field(gt=0, le=MAX_FACTOR)
    mined_tuples: int = Field(ge=0, le=999)
    mined_positions: int = Field(ge=2, le=MAX_COUNT)
    mined_playouts: int = Field(ge=2, le=MAX_PLAYOUTS)

    def size_of(self, generation: int) -> int:
        """Return the number of networks in a generation, from 1, on all islands."""
        if 1 < generation == self.generations:
            return self.finalists
        return self.islands * max(self.least, round(self.population * self.shrink ** (generation - 1)))

    def seconds_of(self, generation: int) -> float:
        """Return the predicted seconds for which each network of a generation, from 1, trains."""
        if generation == self.generations:
            return self.final_seconds
        return self.seconds * self.growth ** (generation - 1)

    @property
    def trainings(self) -> list[tuple[int, float]]:
        """The number of networks of each generation, and the predicted seconds for which each of them trains."""
        generations = range(1, self.generations + 1)
        return [(self.size_of(generation), self.seconds_of(generation)) for generation in generations]


class TournamentSettings(Settings):
    """The tournaments that measure individuals."""

    matches_without_knowledge: int = Field(ge=2, le=MAX_COUNT)
    matches_per_individual: float = Field(ge=2, le=MAX_COUNT)
    rounds: int = Field(ge=0, le=999)
    growth: float = Field(ge=1, le=8)
    deeper: float = Field(ge=1, le=1000)
    seconds: float = Field(gt=0, le=MAX_FACTOR)
    prior_sd: float = Field(gt=0, le=MAX_FACTOR)
    validation_matches: int = Field(ge=0, le=MAX_COUNT)


class TeachingSettings(Settings):
    """Training positions: positions of a generation's matches that are searched deeper, to fit weights to them."""

    positions: int = Field(ge=0, le=MAX_COUNT)
    playouts: int = Field(ge=1, le=MAX_PLAYOUTS)


class EvolutionConfig(Settings):
    """Everything that decides an evolution besides the game: the same configuration and game give the same bytes."""

    seed: int = Field(ge=0, le=MAX_SEED)
    networks: NetworkSettings
    evolution: EvolutionSettings
    tournament: TournamentSettings
    search: SearchSettings
    teaching: TeachingSettings
    values: ValuesSettings
    pruning: PruningSettings
    acceptance: AcceptanceSettings
    records: RecordSettings
    mining: MiningTable
    execution: ExecutionSettings
    genes: dict[str, GeneLimit]

    @model_validator(mode="after")
    def _genes_exist(self) -> Self:
        GENOME.restrict(self.genes)
        return self

    @model_validator(mode="after")
    def _possible_trial(self) -> Self:
        if self.evolution.trial_matches:
            self.search.check_depth(self.evolution.trial_depth, "evolution.trial_depth", "evolution.trial_matches = 0")
        return self

    @model_validator(mode="after")
    def _possible_pool(self) -> Self:
        if self.networks.generations:
            depth, deeper = self.networks.depth, self.networks.deeper if self.networks.deeper_matches else 1.0
            self.search.check_depth(depth * deeper, "networks.depth with networks.deeper", "networks.generations = 0")
        return self

    @model_validator(mode="after")
    def _possible_tournament(self) -> Self:
        if self.evolution.generations:
            self.search.check_depth(self.tournament.deeper, "tournament.deeper", "evolution.generations = 0")
        return self

    @model_validator(mode="after")
    def _possible_acceptance(self) -> Self:
        if self.acceptance.matches:
            self.search.check_depth(self.acceptance.depth, "acceptance.depth", "acceptance.matches = 0")
        return self

    @property
    def planned_steps(self) -> int:
        """The largest number of steps."""
        return self.networks.generations + self.evolution.generations

    @property
    def validates(self) -> bool:
        """Whether the best player is measured in fresh matches in the end."""
        return self.tournament.validation_matches > 0

    @property
    def tries_long_searches(self) -> bool:
        """Whether values that are used alone are also tried in long searches."""
        return not self.evolves_trust and self.mixes and self.evolution.long_playouts > self._trial_playouts

    @property
    def _trial_playouts(self) -> float:
        return self.evolution.trial_depth * self.search.playouts

    @property
    def network_seconds(self) -> float:
        """The predicted seconds of one processor for which all networks train."""
        return sum(networks * seconds for networks, seconds in self.networks.trainings)

    @property
    def gene_names(self) -> tuple[str, ...]:
        """Names of the genes of the individuals, in order."""
        return GENOME.restrict(self.genes).names

    @property
    def reads_fit(self) -> bool:
        """Whether some individual may learn the weights of the joint fit."""
        genome = GENOME.restrict(self.genes)
        return any(reads_fit(kind) and genome.allows({POLICY + "kind": kind}) for kind in SCORING)

    @property
    def evolves_trust(self) -> bool:
        """Whether a gene says which searches trust values alone."""
        return TRUST in self.genes

    @property
    def mixes(self) -> bool:
        """Whether the limits allow individuals to mix values with playouts."""
        return GENOME_WITH_VALUES.restrict(self.genes).allows(MIXED)

    def genomes(self, use: ValueUse) -> tuple[Genome, ...]:
        """Return the genomes from which individuals are made in turn, with the limits of this run.

        Without values there is one, in which the genes that need values are fixed. With values the first is that of
        all genes, and individuals of the second do without their values, if the limits allow it: not every game has
        values that are worth their time. Where values alone are ahead of bare UCT, there is no second genome.
        Where values are to be mixed with playouts, they have half of the result in the first genome; `mixes` says
        whether the limits allow that.
        """
        if use == "none":
            return (GENOME.restrict(self.genes).fix(VALUE_GENES),)
        plain = GENOME.restrict(self.genes)
        unused = dict.fromkeys(VALUE_GENES, 0)
        using = GENOME_WITH_VALUES.restrict(self.genes)
        first = using.restrict(MIXED) if use == "mixed" else using
        return (first, *([plain.restrict(unused)] if use != "always" and plain.allows(unused) else []))


def use_of(trials: Sequence[ValuesTried]) -> ValueUse:
    """Return how values are used after their trial alone and, where there was one, that of values mixed with playouts.

    They are used as they have more points, and not at all where they lose even so.
    """
    best = max(trials, key=lambda trial: trial.points)  # the first of equals
    if best.verdict == "behind":
        return "none"
    if best is not trials[0]:
        return "mixed"
    return "always" if best.verdict == "ahead" else "any"
