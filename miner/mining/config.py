"""The configuration of mining: the features it looks for, and its limits."""

from dataclasses import dataclass, field, replace
from typing import Literal

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.features import Enumeration, Feature, PatternShape, known_classes
from gdl_miner.agent.features.pattern import MAX_RADIUS
from gdl_miner.miner.mining.statistics import OutcomeMeasure


def _class_names() -> tuple[str, ...]:
    return tuple(each.element for each in known_classes())


@dataclass(frozen=True)
class ItemsetConfig:
    """Limits of the search for itemsets (thesis 4.3.3); supports are shares of the baskets."""

    features: int = 40  # features of each role, largest |phi| first, for which itemsets are sought; 0 turns it off
    min_desirable: float = 0.2  # least support among the baskets of the wanted result
    max_undesirable: float = 0.1  # greatest support among the baskets of the other result
    max_size: int = 3
    max_items: int = 60  # items that differ most between the two basket sets; the others are not considered
    max_baskets: int = 4000  # baskets of each kind, sampled evenly
    max_candidates: int = 200_000  # itemsets examined per feature
    held_out: float = 1 / 3  # share of the matches that decide whether an itemset is taken

    def __post_init__(self) -> None:
        for name in ("min_desirable", "max_undesirable", "held_out"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"itemsets.{name} is {getattr(self, name)}; give a share from 0 to 1")


@dataclass(frozen=True)
class SoftmaxConfig:
    """The joint fit of weights to root visit shares."""

    choices: int = 20_000  # greatest number of root states used for each role, sampled evenly; 0: no weight is fitted
    alternatives: int = 600_000  # greatest number of legal moves of those states; bounds memory
    min_count: int = 20  # least number of alternatives for which a feature fires, and of root states for an itemset
    penalty: float = 6.0  # λ of the fit, in choices
    iterations: int = 60
    itemsets: int = 60  # greatest number of itemsets of each role that are fitted with their features; 0: none
    itemset_features: int = 100  # features for which they are sought, those that explain most first
    itemset_size: int = 3  # greatest number of items in one
    itemset_z: float = 5.0  # least |z| of what an itemset changes; thousands are tried, and the best chance has 4 to 5

    def __post_init__(self) -> None:
        for name in ("penalty", "itemset_z"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"softmax.{name} is {getattr(self, name)}; give a number above 0")
        for name in ("choices", "itemsets", "itemset_features", "itemset_size"):
            if getattr(self, name) < 0:
                raise ConfigError(f"softmax.{name} is {getattr(self, name)}; give 0 or more")


@dataclass(frozen=True)
class MiningConfig:
    """Everything that decides what is mined from given records."""

    classes: tuple[str, ...] = field(default_factory=_class_names)
    nearest_k: tuple[int, ...] = (1, 2, 3)
    line_k: tuple[int, ...] = (1, 2)
    pattern_radius: int = 1  # radius of patterns of all fields around a target, 1 to 3; 0 means none
    ray_length: int = 3  # length of patterns along a line from a target, 1 to 3; 0 means none
    pattern_entries: Literal["pieces", "relative"] = "pieces"  # relative: own and enemy in place of pieces of roles
    outcome: OutcomeMeasure = "margin"
    symmetries: tuple[str, ...] | Literal["auto"] = "auto"  # names of those over which features are shared; auto: all
    fading: float = 0.8  # weight of a match, relative to one of the generation after it
    phi_threshold: float = 0.0  # r of the thesis: |phi| must exceed it
    min_support: int = 30  # least number of decisions in which a feature must have fired
    max_q: float = 0.05  # false discovery rate among the features kept for their phi
    sample: int = 400_000  # states, in whole matches, that weights and itemsets are made from; counts take all
    max_features: int = 1000  # features of each role kept for their phi, and as many for their fitted weight
    softmax: SoftmaxConfig = field(default_factory=SoftmaxConfig)
    itemsets: ItemsetConfig = field(default_factory=ItemsetConfig)

    def __post_init__(self) -> None:
        for name in ("pattern_radius", "ray_length"):
            if not 0 <= getattr(self, name) <= MAX_RADIUS:
                raise ConfigError(f"{name} is {getattr(self, name)}; give 0 to {MAX_RADIUS}")
        unknown = sorted(set(self.classes) - set(_class_names()))
        if unknown:
            raise ConfigError(f"there is no feature class {unknown[0]}; the classes are {', '.join(_class_names())}")
        if not 0 < self.fading <= 1:
            raise ConfigError(f"fading is {self.fading}; give a factor above 0, up to 1")
        if not 0 <= self.phi_threshold < 1 or not 0 < self.max_q <= 1:
            raise ConfigError(
                f"phi_threshold is {self.phi_threshold} and max_q is {self.max_q}; "
                "give a phi threshold from 0 to 1 and a q-value above 0, up to 1"
            )

    @property
    def feature_classes(self) -> tuple[type[Feature], ...]:
        """The enabled classes, in canonical order."""
        return tuple(each for each in known_classes() if each.element in self.classes)

    def without_itemsets(self) -> "MiningConfig":
        """The same configuration, which seeks no itemsets."""
        return replace(self, softmax=replace(self.softmax, itemsets=0), itemsets=replace(self.itemsets, features=0))

    def without_fit(self) -> "MiningConfig":
        """The same configuration, which fits no weights."""
        return replace(self, softmax=replace(self.softmax, choices=0))

    def enumeration(self, min_count: int) -> Enumeration:
        """Instances to look for, leaving out those that fire for fewer than `min_count` samples."""
        kinds: tuple[Literal["full", "orthogonal"], ...] = ("full", "orthogonal") if self.pattern_radius else ()
        shapes = tuple(PatternShape(self.pattern_radius, kind) for kind in kinds)
        return Enumeration(
            self.nearest_k, self.line_k, shapes, self.ray_length, self.pattern_entries == "relative", min_count
        )
