"""Mining: from match records to candidate features of every role (thesis 4.3.2, 4.3.3)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agent.knowledge import Feature
from agent.reasoner.machine import Machine
from agent.search.records import MatchBatchRecord
from miner.mining.config import MiningConfig
from miner.mining.counting import count_matches
from miner.mining.counts import Evidence, evidence
from miner.mining.fit import FittedWeight, RoleFit, fit_role
from miner.mining.itemsets import FeatureItemset, seek_itemsets
from miner.mining.mined import MinedFeature, MinedKnowledge, canonical
from miner.mining.role_decisions import read_decisions
from miner.mining.role_record import RoleRecord
from miner.mining.significance import benjamini_hochberg
from miner.mining.training_data import TrainingData

__all__ = ["MinedRole", "combine_roles", "mine", "mine_role"]

_DIGITS = 4  # decimals kept of phi and of weights: less than their error, and the same bytes everywhere


@dataclass(frozen=True)
class MinedRole:
    """What was mined for one role."""

    features: tuple[MinedFeature, ...]
    decisions: int
    fit: RoleFit
    notes: tuple[str, ...]


def mine(
    records: Sequence[MatchBatchRecord],
    machine: Machine,
    config: MiningConfig | None = None,
    *,
    seed: int,
    positions: Sequence[MatchBatchRecord] | None = None,
    weights: Sequence[float] | None = None,
) -> MinedKnowledge:
    """Count, test, fit and back with itemsets what fired in the records of some generations, for each role apart.

    `TrainingData.of` tells what the records, positions and weights are. Matches of equal weight may be divided among
    records at will.
    """
    config = config or MiningConfig()
    if not records:
        nothing = [MinedRole((), 0, RoleFit({}, 0, 0.0), (f"{name}: no records",)) for name in machine.roles]
        return combine_roles(machine.roles, nothing)
    counts = [count_matches(record, machine, config) for record in records]
    data = TrainingData.of(records, counts, config, seed, positions=positions, weights=weights)
    return combine_roles(machine.roles, [mine_role(data, machine, role, config) for role in range(len(machine.roles))])


def mine_role(data: TrainingData, machine: Machine, role: int, config: MiningConfig) -> MinedRole:
    """Mine for one role, which needs nothing of the others; see `mine`."""
    name, counts = machine.roles[role], [roles[role] for roles in data.counts]
    played = RoleRecord(data.matches, machine, role)
    searched = RoleRecord(data.searches, machine, role)
    found = evidence(counts, data.weights)
    q_values = _q_values(found, config)
    selected = _select(found, q_values, config)
    fit = fit_role(searched, data.importance, config, data.seed)
    itemsets, notes = seek_itemsets(
        [(found.features[i], int(np.sign(found.phi[i]))) for i in selected],
        read_decisions(played, config),
        data.held_out,
        config,
    )
    wanted = {found.features[i] for i in selected} | set(fit.weights) | {each.feature for each in itemsets}
    features = _assemble(name, wanted, found, q_values, fit, itemsets)
    n_decisions = sum(counted.decisions for counted in counts)
    return MinedRole(features, n_decisions, fit, tuple(f"{name}: {note}" for note in notes))


def combine_roles(roles: Sequence[str], results: Sequence[MinedRole]) -> MinedKnowledge:
    """Put together what was mined for each role, in the order of the roles."""
    return MinedKnowledge(
        roles=tuple(roles),
        features=tuple(result.features for result in results),
        decisions=tuple(result.decisions for result in results),
        choices=tuple(result.fit.choices for result in results),
        explained=tuple(round(result.fit.explained, _DIGITS) for result in results),
        notes=tuple(note for result in results for note in result.notes),
    )


def _q_values(found: Evidence[Feature], config: MiningConfig) -> NDArray[np.float64]:
    """Corrected p-values; features with too little support were not tested and get 1."""
    tested = np.flatnonzero(found.fired >= config.min_support)
    q_values = np.ones(len(found.features))
    q_values[tested] = benjamini_hochberg(found.p_value[tested])
    return q_values


def _select(found: Evidence[Feature], q_values: NDArray[np.float64], config: MiningConfig) -> list[int]:
    """Features whose correlation is large enough and no accident, largest |phi| first."""
    size = np.abs(found.phi)
    good = (size > config.phi_threshold) & (q_values <= config.max_q) & (found.fired >= config.min_support)
    places = np.flatnonzero(good).tolist()
    places.sort(key=lambda i: (-round(float(size[i]), 10), canonical(found.features[i])))
    return places[: config.max_features]


def _assemble(
    role: str,
    wanted: set[Feature],
    found: Evidence[Feature],
    q_values: NDArray[np.float64],
    fit: RoleFit,
    itemsets: Sequence[FeatureItemset],
) -> tuple[MinedFeature, ...]:
    tested = {
        feature: MinedFeature(
            feature=feature,
            role=role,
            support=round(float(found.fired[i])),
            phi=round(float(found.phi[i]), _DIGITS),
            p_value=_significant(found.p_value[i]),
            q_value=_significant(q_values[i]),
        )
        for i, feature in enumerate(found.features)
        if feature in wanted
    }
    backing: dict[Feature, list[FeatureItemset]] = {}
    for each in itemsets:
        backing.setdefault(each.feature, []).append(each)
    features: list[MinedFeature] = []
    for feature in sorted(wanted, key=canonical):
        known = tested.get(feature, MinedFeature(feature, role, support=0, phi=0.0, p_value=1.0, q_value=1.0))
        if feature in fit.weights:
            known = _with_weight(known, fit.weights[feature])
        backed = [
            replace(known, itemset=each.itemset, itemset_phi=round(each.phi, _DIGITS))
            for each in backing.get(feature, [])
        ]
        features.extend(backed or [known])
    return tuple(features)


def _with_weight(known: MinedFeature, fitted: FittedWeight) -> MinedFeature:
    return replace(
        known,
        weight=round(fitted.weight, _DIGITS),
        error=max(round(fitted.error, _DIGITS), 10.0**-_DIGITS),
        gain=_significant(fitted.gain),
    )


def _significant(value: float) -> float:
    """Six significant digits."""
    return float(f"{value:.6g}")
