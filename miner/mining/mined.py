"""The results of mining: features with their evidence, per role."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gdl_miner.agent.features import Feature, Itemset

__all__ = ["FittedItemset", "MinedFeature", "MinedKnowledge", "MinedRole", "canonical"]


class FittedItemset(NamedTuple):
    """The log-weight that a joint fit adds to a feature's own where an itemset holds."""

    itemset: Itemset
    weight: float  # log-weight
    error: float  # standard error
    gain: float  # part that the weight alone explains: ½ weight² · variance of firing, in nats per choice


@dataclass(frozen=True)
class MinedFeature:
    """A candidate feature of one role, with its evidence."""

    feature: Feature
    role: str
    support: int  # decisions in which it fired, fading included, rounded
    phi: float  # correlation with winning, over all decisions
    p_value: float  # of phi, matches as clusters
    q_value: float  # p-value corrected for the number of features tested in this role
    weight: float = 0.0  # fitted log-weight; 0 where the fit did not keep it
    error: float = 0.0  # standard error of the weight; 0 where the fit did not keep it
    gain: float = 0.0  # part that the weight alone explains: ½ weight² · variance of firing, in nats per choice
    itemset: Itemset | None = None  # raises |phi| on matches held out
    itemset_phi: float = 0.0  # phi of feature and itemset together, on matches held out
    fitted_itemsets: tuple[FittedItemset, ...] = ()  # largest gain first

    @property
    def fitted(self) -> bool:
        """Whether the joint fit kept the feature."""
        return self.error > 0


@dataclass(frozen=True)
class MinedRole:
    """Candidate features of one role."""

    features: tuple[MinedFeature, ...]  # in canonical order of the features
    decisions: int  # decisions counted
    choices: int  # root states fitted
    explained: float  # share of the avoidable cross-entropy that the fit removes
    notes: tuple[str, ...]  # limits that were met, in words


@dataclass(frozen=True)
class MinedKnowledge:
    """Candidate features of every role."""

    roles: tuple[str, ...]
    features: tuple[tuple[MinedFeature, ...], ...]  # [role] see MinedRole
    decisions: tuple[int, ...]  # [role]
    choices: tuple[int, ...]  # [role]
    explained: tuple[float, ...]  # [role]
    notes: tuple[str, ...] = field(default=())  # of all roles

    @classmethod
    def of(cls, roles: Sequence[str], mined: Sequence[MinedRole]) -> "MinedKnowledge":
        """Put together what was mined for each role, in the order of the roles."""
        return cls(
            roles=tuple(roles),
            features=tuple(role.features for role in mined),
            decisions=tuple(role.decisions for role in mined),
            choices=tuple(role.choices for role in mined),
            explained=tuple(role.explained for role in mined),
            notes=tuple(note for role in mined for note in role.notes),
        )


def canonical(feature: Feature) -> tuple[str, str]:
    """A key that orders features the same way everywhere."""
    return feature.element, repr(feature)
