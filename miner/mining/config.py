"""The configuration of mining: the features it looks for, and its limits.

The ranges are checked where a configuration is read; the comments are the meanings on the documentation site.
"""

from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.features import (
    FEATURE_CLASSES,
    ITEM_CLASSES,
    Enumeration,
    Feature,
    Item,
    PatternShape,
    feature_class,
    item_class,
)
from gdl_miner.agent.features.feature import MAX_PIECES
from gdl_miner.agent.features.pattern import MAX_RADIUS
from gdl_miner.agent.limits import MAX_COUNT, MAX_FACTOR
from gdl_miner.agent.plugins import PluginKind, plugin_named, plugin_names
from gdl_miner.miner.mining.statistics import OutcomeMeasure

_OWN_FEATURES = tuple(each.element for each in FEATURE_CLASSES)
_OWN_ITEMS = tuple(each.element for each in ITEM_CLASSES)


Limit: TypeAlias = Annotated[int, Field(ge=0, le=MAX_COUNT)]
Size: TypeAlias = Annotated[int, Field(ge=1, le=9)]
Nearest: TypeAlias = Annotated[int, Field(ge=1, le=MAX_PIECES)]
Radius: TypeAlias = Annotated[int, Field(ge=0, le=MAX_RADIUS)]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Positive: TypeAlias = Annotated[float, Field(gt=0, le=MAX_FACTOR)]


@dataclass(frozen=True)
class ItemsetConfig:
    """Limits of the search for itemsets (thesis 4.3.3); supports are shares of the baskets."""

    features: Limit = 40  # features of each role, largest |phi| first, for which itemsets are sought; 0 turns it off
    min_desirable: Share = 0.2  # least support among the baskets of the wanted result
    max_undesirable: Share = 0.1  # greatest support among the baskets of the other result
    max_size: Size = 3  # greatest number of items in one
    max_items: Limit = 60  # items that differ most between the two basket sets; the others are not considered
    max_baskets: Limit = 4000  # baskets of each kind, sampled evenly
    max_candidates: Limit = 200_000  # itemsets examined per feature
    held_out: Share = 1 / 3  # share of the matches that decide whether an itemset is taken


@dataclass(frozen=True)
class SoftmaxConfig:
    """The joint fit of weights to root visit shares."""

    choices: Limit = 20_000  # greatest number of root states used for each role, sampled evenly; 0: no weight is fitted
    alternatives: Limit = 600_000  # greatest number of legal moves of those states; bounds memory
    min_count: Limit = 20  # least number of alternatives for which a feature fires, and of root states for an itemset
    penalty: Positive = 6.0  # λ of the fit, in choices
    iterations: Annotated[int, Field(ge=1, le=MAX_COUNT)] = 60  # most steps of the fit
    itemsets: Limit = 60  # greatest number of itemsets of each role that are fitted with their features; 0: none
    itemset_features: Limit = 100  # features for which they are sought, those that explain most first
    itemset_size: Size = 3  # greatest number of items in one
    itemset_z: Positive = 5.0  # least |z| of what an itemset changes; thousands are tried, and chance has up to 5


@dataclass(frozen=True)
class MiningConfig:
    """Everything that decides what is mined from given records."""

    classes: tuple[str, ...] = _OWN_FEATURES  # classes of features that are looked for; name those of plug-ins here
    metafacts: tuple[str, ...] = _OWN_ITEMS  # classes of facts of which itemsets are made; name those of plug-ins here
    nearest_k: tuple[Nearest, ...] = (1, 2, 3)  # numbers of nearest pieces that features look at
    line_k: tuple[Nearest, ...] = (1, 2)  # numbers of nearest pieces on a line
    pattern_radius: Radius = 1  # radius of patterns of all fields around a target; 0 means none
    ray_length: Radius = 3  # length of patterns along a line from a target; 0 means none
    pattern_entries: Literal["pieces", "relative"] = "pieces"  # relative: own and enemy in place of pieces of roles
    outcome: OutcomeMeasure = "margin"  # what counts as won: the margin between goals, or only whose goal is larger
    symmetries: tuple[str, ...] | Literal["auto"] = "auto"  # names of those over which features are shared; auto: all
    fading: Annotated[float, Field(gt=0, le=1)] = 0.8  # weight of a match, relative to one of the generation after it
    phi_threshold: Annotated[float, Field(ge=0, lt=1)] = 0.0  # r of the thesis: |phi| must exceed it
    min_support: Limit = 30  # least number of decisions in which a feature must have fired
    max_q: Annotated[float, Field(gt=0, le=1)] = 0.05  # false discovery rate among the features kept for their phi
    sample: Limit = 400_000  # states, in whole matches, that weights and itemsets are made from; counts take all
    max_features: Limit = 1000  # features of each role kept for their phi, and as many for their fitted weight
    softmax: SoftmaxConfig = field(default_factory=SoftmaxConfig)
    itemsets: ItemsetConfig = field(default_factory=ItemsetConfig)

    def __post_init__(self) -> None:
        _check_names(self.classes, _OWN_FEATURES, "feature", "feature class")
        _check_names(self.metafacts, _OWN_ITEMS, "metafact", "metafact")

    @property
    def feature_classes(self) -> tuple[type[Feature], ...]:
        """The enabled classes, in canonical order. Raises ConfigError where one cannot be loaded."""
        return tuple(map(feature_class, _in_order(self.classes, _OWN_FEATURES)))

    @property
    def item_classes(self) -> tuple[type[Item], ...]:
        """The enabled classes of items, in canonical order. Raises ConfigError where one cannot be loaded."""
        return tuple(map(item_class, _in_order(self.metafacts, _OWN_ITEMS)))

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


def _check_names(names: tuple[str, ...], own: tuple[str, ...], kind: PluginKind, noun: str) -> None:
    """Raise ConfigError where a name is neither one of this package nor that of one plug-in that is installed."""
    for name in sorted(set(names) - set(own)):
        if name not in plugin_names(kind):
            known = ", ".join((*own, *plugin_names(kind)))
            raise ConfigError(f"there is no {noun} {name}; there are {known}; `miner plugins` lists those installed")
        plugin_named(kind, name)


def _in_order(names: tuple[str, ...], own: tuple[str, ...]) -> list[str]:
    """Return names without repetition: those of this package in their order, and then the others by name."""
    return [*(each for each in own if each in names), *sorted(set(names) - set(own))]
