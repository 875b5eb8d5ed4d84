"""Mining: from match records to candidate features of every role (thesis 4.3.2, 4.3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import Feature, Itemset
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.miner.mining.candidates import Candidate
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.counting import count_matches
from gdl_miner.miner.mining.counts import Evidence, FeatureCounts, evidence
from gdl_miner.miner.mining.fit import FittedWeight, RoleFit, fit_role
from gdl_miner.miner.mining.itemsets import FeatureItemset, ItemsetSearch, seek_itemsets
from gdl_miner.miner.mining.role_record import RoleRecord, read_decisions
from gdl_miner.miner.mining.sharing import canonical, sharing_of
from gdl_miner.miner.mining.statistics import benjamini_hochberg
from gdl_miner.miner.mining.training_data import TrainingData

if TYPE_CHECKING:
    from gdl_miner.miner.play.prepared_game import PreparedGame


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
    def of(cls, roles: Sequence[str], mined: Sequence[MinedRole]) -> MinedKnowledge:
        """Put together what was mined for each role, in the order of the roles."""
        return cls(
            roles=tuple(roles),
            features=tuple(role.features for role in mined),
            decisions=tuple(role.decisions for role in mined),
            choices=tuple(role.choices for role in mined),
            explained=tuple(role.explained for role in mined),
            notes=tuple(note for role in mined for note in role.notes),
        )


@dataclass(frozen=True, eq=False)
class Correlations:
    """Evidence about the features of one role, and which of them go with winning or losing."""

    decisions: int  # decisions counted
    evidence: Evidence[Feature]
    q_values: NDArray[np.float64]  # [feature] corrected p-values; 1 where there was too little support to test
    significant: tuple[int, ...]  # places of features with a large and significant correlation, largest |phi| first

    @property
    def signs(self) -> dict[Feature, int]:
        """The significant features in their order, +1 for those that go with winning and -1 for the others."""
        found = self.evidence
        return {found.features[i]: int(np.sign(found.phi[i])) for i in self.significant}


def correlate(counts: Sequence[FeatureCounts[Feature]], weights: Sequence[float], config: MiningConfig) -> Correlations:
    """Test every feature that has enough support; a match of `counts[i]` weighs `weights[i]`."""
    found = evidence(counts, weights)
    tested = found.fired >= config.min_support
    q_values = np.ones(len(found.features))
    q_values[tested] = benjamini_hochberg(found.p_value[tested])
    size = np.abs(found.phi)
    places = np.flatnonzero(tested & (size > config.phi_threshold) & (q_values <= config.max_q)).tolist()
    places.sort(key=lambda i: (-round(float(size[i]), 10), canonical(found.features[i])))
    decisions = sum(part.decisions for part in counts)
    return Correlations(decisions, found, q_values, tuple(places[: config.max_features]))


_DIGITS = 4  # decimals of phi and of weights; rounding is less than their error and makes the bytes equal everywhere


def assemble(role: str, correlations: Correlations, fit: RoleFit, search: ItemsetSearch) -> MinedRole:
    """All features that are correlated with winning, fitted or backed by an itemset, in canonical order."""
    itemsets: dict[Feature, list[FeatureItemset]] = {}
    for each in search.itemsets:
        itemsets.setdefault(each.feature, []).append(each)
    fitted = {feature: weight for (feature, itemset), weight in fit.weights.items() if itemset is None}
    restricted: dict[Feature, list[FittedItemset]] = {}
    for (feature, itemset), weight in fit.weights.items():
        if itemset is not None:
            restricted.setdefault(feature, []).append(_fitted_itemset(itemset, weight))
    wanted = correlations.signs.keys() | fitted.keys() | restricted.keys() | itemsets.keys()
    tested = _tested(role, correlations, wanted)
    features: list[MinedFeature] = []
    for feature in sorted(wanted, key=canonical):
        known = tested.get(feature, MinedFeature(feature, role, support=0, phi=0.0, p_value=1.0, q_value=1.0))
        if feature in fitted:
            known = _with_weight(known, fitted[feature])
        by_gain = sorted(restricted.get(feature, ()), key=lambda each: (-each.gain, repr(each.itemset)))
        known = replace(known, fitted_itemsets=tuple(by_gain))
        backed = [
            replace(known, itemset=each.itemset, itemset_phi=round(each.phi, _DIGITS))
            for each in itemsets.get(feature, [])
        ]
        features.extend(backed or [known])
    return MinedRole(
        features=tuple(features),
        decisions=correlations.decisions,
        choices=fit.choices,
        explained=round(fit.explained, _DIGITS),
        notes=tuple(f"{role}: {note}" for note in search.notes),
    )


def _tested(role: str, correlations: Correlations, wanted: set[Feature]) -> dict[Feature, MinedFeature]:
    """The wanted features that were counted, with their correlations."""
    found = correlations.evidence
    return {
        feature: MinedFeature(
            feature=feature,
            role=role,
            support=round(float(found.fired[i])),
            phi=round(float(found.phi[i]), _DIGITS),
            p_value=_significant(found.p_value[i]),
            q_value=_significant(correlations.q_values[i]),
        )
        for i, feature in enumerate(found.features)
        if feature in wanted
    }


def _with_weight(known: MinedFeature, fitted: FittedWeight) -> MinedFeature:
    weight, error, gain = _rounded(fitted)
    return replace(known, weight=weight, error=error, gain=gain)


def _fitted_itemset(itemset: Itemset, fitted: FittedWeight) -> FittedItemset:
    return FittedItemset(itemset, *_rounded(fitted))


def _rounded(fitted: FittedWeight) -> FittedWeight:
    error = max(round(fitted.error, _DIGITS), 10.0**-_DIGITS)
    return FittedWeight(round(fitted.weight, _DIGITS), error, _significant(fitted.gain))


def _significant(value: float) -> float:
    """Six significant digits."""
    return float(f"{value:.6g}")


def mine(
    records: Sequence[MatchBatchRecord],
    machine: Machine,
    config: MiningConfig | None = None,
    *,
    seed: int,
    positions: Sequence[MatchBatchRecord] | None = None,
    weights: Sequence[float] | None = None,
) -> MinedKnowledge:
    """Count what fired in the records of some generations, and mine the counts and a sample of the states.

    `TrainingData.of` documents the records, positions and weights. Matches of equal weight may be divided among
    records at will.
    """
    config, names = config or MiningConfig(), machine.roles
    if not records:
        nothing = [MinedRole((), 0, 0, 0.0, (f"{name}: no records",)) for name in names]
        return MinedKnowledge.of(names, nothing)
    counts = [count_matches(record, machine, config) for record in records]
    data = TrainingData.of(records, counts, config, seed, positions=positions, weights=weights)
    return MinedKnowledge.of(names, [mine_role(data, machine, role, config) for role in range(len(names))])


def mine_role(
    data: TrainingData, machine: Machine, role: int, config: MiningConfig, candidates: Sequence[Candidate] = ()
) -> MinedRole:
    """Test the features of one role, fit their weights and seek itemsets for them, independently of other roles.

    `candidates` are features that were found elsewhere and take part in the fit.
    Nothing is mined for a role whose features another one owns. Features that stand for images have no itemsets,
    because what holds in a state does not tell for which of the images it would have to hold.
    """
    sharing = sharing_of(machine, config.symmetries)
    if sharing.owners[role] != role:
        return MinedRole((), 0, 0, 0.0, ())
    if sharing.keeping(role):
        config = config.without_itemsets()
    correlations = correlate([roles[role] for roles in data.counts], data.weights, config)
    views = sharing.views(role)
    fit = RoleFit({}, 0, 0.0)
    if config.softmax.choices:
        searched = RoleRecord(sharing.pooled(data.searches, role), machine, role)
        importance = np.tile(data.importance, views)
        fit = fit_role(searched, sharing, importance, config, data.seed, candidates, data.valuing)
    search = ItemsetSearch()
    if config.itemsets.features:
        decisions = read_decisions(RoleRecord(sharing.pooled(data.matches, role), machine, role), sharing, config)
        search = seek_itemsets(correlations.signs, decisions, np.tile(data.held_out, views), config)
    return assemble(machine.roles[role], correlations, fit, search)


def mine_for(
    game: PreparedGame,
    config: MiningConfig,
    data: TrainingData,
    candidates: Sequence[Sequence[Candidate]],
    role: int,
) -> MinedRole:
    """Mine for one role, with [role] candidates where there are any."""
    return mine_role(data, game.machine(), role, config, candidates[role] if candidates else ())
