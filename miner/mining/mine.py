"""Mining: from match records to candidate features of every role (thesis 4.3.2, 4.3.3)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agent.knowledge import Feature, Geometry, geometry_of
from agent.reasoner.machine import Machine
from agent.search.records import MatchBatchRecord
from miner.mining.config import MiningConfig
from miner.mining.counting import count_matches
from miner.mining.counts import Evidence, FeatureCounts, evidence
from miner.mining.fit import FittedWeight, RoleFit, fit_role
from miner.mining.itemsets import FeatureItemset, seek_itemsets
from miner.mining.mined import MinedFeature, MinedKnowledge, canonical
from miner.mining.role_decisions import read_decisions
from miner.mining.sampling import thin_records
from miner.mining.significance import benjamini_hochberg

__all__ = ["MinedRole", "combine_roles", "mine", "mine_role"]

Progress = Callable[[str], None]

_DIGITS = 4  # decimals kept of phi and of weights: less than their error, and the same bytes everywhere


@dataclass(frozen=True)
class _Source:
    """What is mined."""

    records: Sequence[MatchBatchRecord]  # a sample of them
    counts: Sequence[FeatureCounts[Feature]]  # [record] of the role, over all matches
    lessons: Sequence[MatchBatchRecord]  # [record] what the weights are fitted to
    weights: Sequence[float]  # [record]
    machine: Machine
    geometry: Geometry


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
    weights: Sequence[float] | None = None,
    progress: Progress | None = None,
    lessons: Sequence[MatchBatchRecord] | None = None,
) -> MinedKnowledge:
    """Count, test, fit and back with itemsets what fired in the records, for each role apart.

    Weights are fitted to the root visits of `lessons[i]`, deeper searches of positions of `records[i]`, or where there
    are none to those of the records themselves.

    `weights[i]` is what a match of `records[i]` counts. By default records are generations, oldest first, and each
    counts `config.fading` times the one after it. Matches of equal weight may be divided among records at will.
    `seed` decides which root states are sampled and which matches are held out.
    """
    results = []
    for role, name in enumerate(machine.roles):
        if progress:
            progress(f"mining {name} ({role + 1} of {len(machine.roles)})")
        results.append(
            mine_role(records, machine, config or MiningConfig(), role, seed=seed, weights=weights, lessons=lessons)
        )
    return combine_roles(machine.roles, results)


def mine_role(
    records: Sequence[MatchBatchRecord],
    machine: Machine,
    config: MiningConfig,
    role: int,
    *,
    seed: int,
    weights: Sequence[float] | None = None,
    lessons: Sequence[MatchBatchRecord] | None = None,
    counts: Sequence[FeatureCounts[Feature]] | None = None,
) -> MinedRole:
    """Mine for one role, which needs nothing of the others; see `mine`.

    `counts[i]` are those of the role in `records[i]` and all else that weighs the same, where they are known already
    (see `count_matches`); then the records may be a sample.
    """
    ages = range(len(records) - 1, -1, -1)
    fading = [config.fading**age for age in ages] if weights is None else list(weights)
    if len(fading) != len(records) or any(not weight > 0 for weight in fading):
        raise ValueError(f"{len(records)} records with weights {fading}; give one weight above 0 for each")
    if lessons is not None and len(lessons) != len(records):
        raise ValueError(f"{len(records)} records with {len(lessons)} lessons; give one of each per generation")
    if counts is None:
        counts = [count_matches(record, machine, config, role) for record in records]
    sample = thin_records(records, config.sample, seed)
    taught = sample if lessons is None else lessons
    return _mine_role(_Source(sample, counts, taught, fading, machine, geometry_of(machine)), role, config, seed)


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


def _mine_role(source: _Source, role: int, config: MiningConfig, seed: int) -> MinedRole:
    name = source.machine.roles[role]
    if not source.records:
        return MinedRole((), 0, RoleFit({}, 0, 0.0), (f"{name}: no records",))
    decisions = read_decisions(source.records, source.machine, source.geometry, role, config, seed)
    found = evidence(source.counts, source.weights)
    q_values = _q_values(found, config)
    selected = _select(found, q_values, config)
    fit = fit_role(source.lessons, source.weights, source.machine, source.geometry, role, config, seed)
    itemsets, notes = seek_itemsets(
        [(found.features[i], int(np.sign(found.phi[i]))) for i in selected], decisions, source.geometry, config
    )
    wanted = {found.features[i] for i in selected} | set(fit.weights) | {each.feature for each in itemsets}
    features = _assemble(name, wanted, found, q_values, fit, itemsets)
    n_decisions = sum(counted.decisions for counted in source.counts)
    return MinedRole(features, n_decisions, fit, tuple(f"{name}: {note}" for note in notes))


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
