"""A knowledge file as a value: parameters, and weighted features for winning and losing, per role (thesis 5.1.5)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal

from agent.knowledge.features import FEATURE_CLASSES, Feature
from agent.knowledge.itemset import Itemset

__all__ = ["Knowledge", "Parameters", "Provenance", "WeightedFeature", "even_class_weights"]

_MOST = 10**9  # visits, moves or features: what native code counts with


def even_class_weights() -> dict[str, float]:
    """The weight 1 for every feature class."""
    return {feature_class.element: 1.0 for feature_class in FEATURE_CLASSES}


@dataclass(frozen=True)
class WeightedFeature:
    """A feature of a winning or losing list."""

    feature: Feature
    weight: float  # >= 0; the list decides the sign
    itemset: Itemset | None = None  # must hold too
    place: str = field(default="", compare=False)  # file:line it was read from

    def __post_init__(self) -> None:
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise ValueError(f"the weight {self.weight} of a feature is not a number >= 0")


@dataclass(frozen=True)
class Parameters:
    """How knowledge is used; every one is a gene of the evolution (thesis 5.1.5).

    Effective weight of a feature: its weight × the weight of its class (of its class's itemsets if it carries one) ×
    winning_weight or losing_weight × impact.
    """

    max_features: int = 500  # features in each winning or losing list
    class_weights: Mapping[str, float] = field(default_factory=even_class_weights)
    itemset_class_weights: Mapping[str, float] = field(default_factory=even_class_weights)
    learning_factor: float = 1.0  # how much newly mined knowledge counts against old
    winning_weight: float = 1.0
    losing_weight: float = 1.0
    impact: float = 1.0
    base_value: float = 1.0  # score of a move without features
    uct_c: float = 40.0  # UCB1 constant, in goal units
    expansions: float = 1.0  # nodes added per playout
    exploration: Literal["ucb", "puct"] = "ucb"  # what knowledge in the selection adds to a move's mean goal
    puct_c: float = 100.0  # PUCT constant, in goal units
    bias: float = 0.0  # ucb: strength of progressive bias, in goal units
    fade: float = 1.0  # ucb: the bias is divided by (visits + 1) to this power
    mast_temperature: float = 0.0  # moves are drawn by their mean goals in the tree, in goal units; 0: uniformly
    nst_greed: float = 0.0  # share of moves drawn that are the best by n-grams; 0: none
    grave_equivalence: float = 0.0  # visits of a move that count as much as any number made elsewhere; 0: those do not
    grave_visits: int = 50  # playouts through a node from which its own table of all moves speaks for it
    solver: bool = False  # goals are proven in the tree
    scoring: Literal["additive", "exponential"] = "additive"
    widening: bool = False  # progressive widening
    widening_visits: int = 40  # visits of a node after which only the best moves stay
    widening_moves: int = 5  # how many stay
    widening_growth: float = 2.0  # factor of visits for each move that returns
    scoring_visits: int = 0  # visits of a node from which knowledge ranks its moves
    playout_moves: int = 1000  # joint moves at the start of a playout that features choose; the others are random
    first_feature: bool = False  # the first match of the list sorted by |effective weight| is the score
    features_in_playouts: bool = True
    features_in_selection: bool = True
    itemsets_in_playouts: bool = True  # off: features that carry an itemset do not fire in playouts
    itemsets_in_selection: bool = True

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, Mapping):
                self._check_classes(each.name, value)
            elif not isinstance(value, bool | str) and not (math.isfinite(value) and value >= 0):
                raise ValueError(f"{each.name} is {value}; give a number >= 0")
            elif isinstance(value, int) and value > _MOST:
                raise ValueError(f"{each.name} is {value}; {_MOST:,} is the most")
        if self.scoring not in ("additive", "exponential"):
            raise ValueError(f"scoring is '{self.scoring}'; give 'additive' or 'exponential'")
        if self.exploration not in ("ucb", "puct"):
            raise ValueError(f"exploration is '{self.exploration}'; give 'ucb' or 'puct'")
        if self.nst_greed > 1:
            raise ValueError(f"nst_greed is {self.nst_greed}; give a share, from 0 to 1")
        if (
            not 0 < self.expansions <= _MOST
            or self.widening_moves < 1
            or self.widening_visits < 1
            or self.widening_growth <= 1
        ):
            raise ValueError(
                f"expansions must be > 0 and at most {_MOST:,}, widening_moves and widening_visits >= 1 and "
                "widening_growth > 1; "
                f"got {self.expansions}, {self.widening_moves}, {self.widening_visits}, {self.widening_growth}"
            )

    @staticmethod
    def _check_classes(name: str, weights: Mapping[str, float]) -> None:
        if set(weights) != set(even_class_weights()):
            raise ValueError(f"{name} has {sorted(weights)}; give a weight to every feature class")
        if not all(math.isfinite(weight) and weight >= 0 for weight in weights.values()):
            raise ValueError(f"{name} holds {sorted(weights.values())}; give numbers >= 0")


@dataclass(frozen=True)
class Provenance:
    """How a knowledge file was made."""

    run: str
    generation: int
    seed: int
    version: str  # of this program


@dataclass(frozen=True)
class Knowledge:
    """What an individual knows about one game."""

    game: str  # name of the rule sheet, empty if the file does not say
    digest: str  # of the normalised rules, empty if the file does not say
    roles: tuple[str, ...]
    winning: tuple[tuple[WeightedFeature, ...], ...]  # [role]
    losing: tuple[tuple[WeightedFeature, ...], ...]  # [role]
    parameters: Parameters = field(default_factory=Parameters)
    made: Provenance | None = None

    def __post_init__(self) -> None:
        if not len(self.roles) == len(self.winning) == len(self.losing):
            raise ValueError(
                f"{len(self.roles)} roles with {len(self.winning)} winning and {len(self.losing)} losing lists; "
                "give one of each per role"
            )
