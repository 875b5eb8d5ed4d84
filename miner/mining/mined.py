"""What mining hands on: features with their evidence, per role."""

from dataclasses import dataclass, field

from agent.knowledge import Feature, Itemset

__all__ = ["MinedFeature", "MinedKnowledge", "canonical"]


@dataclass(frozen=True)
class MinedFeature:
    """A feature worth knowing for one role, or one among the candidates for it."""

    feature: Feature
    role: str
    support: int  # decisions in which it fired, fading included, rounded
    phi: float  # correlation with winning, over all decisions
    p_value: float  # of phi, matches as clusters
    q_value: float  # p-value corrected for the number of features tested in this role
    weight: float = 0.0  # fitted log-weight; 0 where the fit did not keep it
    error: float = 0.0  # standard error of the weight; 0 where the fit did not keep it
    gain: float = 0.0  # what the weight explains alone: ½ weight² · variance of firing, in nats per choice
    itemset: Itemset | None = None  # raises |phi| on matches held out
    itemset_phi: float = 0.0  # phi of feature and itemset together, on matches held out

    @property
    def fitted(self) -> bool:
        """Whether the joint fit kept it."""
        return self.error > 0


@dataclass(frozen=True)
class MinedKnowledge:
    """Candidate features of every role."""

    roles: tuple[str, ...]
    features: tuple[tuple[MinedFeature, ...], ...]  # [role] in canonical order of the features
    decisions: tuple[int, ...]  # [role] decisions counted
    choices: tuple[int, ...]  # [role] root states fitted
    explained: tuple[float, ...]  # [role] share of the avoidable cross-entropy that the fit removes
    notes: tuple[str, ...] = field(default=())  # limits that were met, in words


def canonical(feature: Feature) -> tuple[str, str]:
    """A key that orders features the same way everywhere."""
    return feature.element, repr(feature)
