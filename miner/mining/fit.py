"""Log-weights of one role's features, fitted jointly to the root visits of recorded searches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agent.knowledge import Feature, Geometry, MoveBatch, occurrences
from agent.reasoner.machine import Machine
from agent.search.records import MatchBatchRecord
from miner.mining.config import MiningConfig
from miner.mining.decisions import RootChoices, root_choices
from miner.mining.sampling import smallest, step_keys
from miner.mining.softmax import Choices, fit_softmax

__all__ = ["FittedWeight", "RoleFit", "collect_choices", "fit_role"]


class FittedWeight(NamedTuple):
    """One feature's part in a joint fit."""

    weight: float
    error: float  # standard error
    gain: float  # ½ weight² · variance of firing among the alternatives, in nats per choice


class RoleFit(NamedTuple):
    """A joint fit for one role."""

    weights: dict[Feature, FittedWeight]
    choices: int
    explained: float  # share of the avoidable cross-entropy


@dataclass(frozen=True)
class RoleChoices:
    """Root choices of one role with the features of their alternatives."""

    features: tuple[Feature, ...]
    choices: Choices


def fit_role(
    records: Sequence[MatchBatchRecord],
    weights: Sequence[float],
    machine: Machine,
    geometry: Geometry,
    role: int,
    config: MiningConfig,
    seed: int,
) -> RoleFit:
    """Fit all frequent features together roughly, keep those that explain most, fit these well.

    `weights[i]` is the importance of the choices of `records[i]`.
    """
    collected = collect_choices(records, weights, machine, geometry, role, config, seed)
    choices = collected.choices
    if len(choices.weight) == 0 or not collected.features:
        return RoleFit({}, len(choices.weight), 0.0)
    limits = config.softmax
    fit = fit_softmax(choices, penalty=limits.penalty, max_iterations=max(1, limits.iterations // 2))
    gain = 0.5 * fit.weights**2 * fit.information
    kept = np.sort(np.argsort(-gain, kind="stable")[: config.max_features])
    kept = kept[gain[kept] > 0]
    choices = choices.keep(kept)
    fit = fit_softmax(choices, penalty=limits.penalty, start=fit.weights[kept], max_iterations=limits.iterations)
    gain = 0.5 * fit.weights**2 * fit.information
    per_choice = gain / float(np.add.reduce(choices.weight))
    features = [collected.features[i] for i in kept.tolist()]
    fitted = {
        feature: FittedWeight(float(weight), float(error), float(explained))
        for feature, weight, error, explained in zip(features, fit.weights, fit.errors, per_choice, strict=True)
        if np.isfinite(error)
    }
    return RoleFit(fitted, len(choices.weight), fit.explained)


def collect_choices(
    records: Sequence[MatchBatchRecord],
    weights: Sequence[float],
    machine: Machine,
    geometry: Geometry,
    role: int,
    config: MiningConfig,
    seed: int,
) -> RoleChoices:
    """A sample of the role's root choices within the limits of the configuration, and what fires in them."""
    all_choices = [root_choices(record, machine, role) for record in records]
    keys = [step_keys(record, found.step, role, seed) for record, found in zip(records, all_choices, strict=True)]
    budget = _affordable(all_choices, keys, config)
    chosen = smallest(keys, budget)
    sampled = [_subset(found, places) for found, places in zip(all_choices, chosen, strict=True)]
    batch = _move_batch(records, sampled)
    matrix = occurrences(batch, geometry, config.feature_classes, config.enumeration(config.softmax.min_count))
    sizes = np.concatenate([np.diff(found.start) for found in sampled])
    importance = np.concatenate(
        [np.full(len(found.step), weight) for found, weight in zip(sampled, weights, strict=True)]
    )
    return RoleChoices(
        matrix.features,
        Choices(
            start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            indptr=matrix.start,
            features=matrix.ids,
            n_features=len(matrix.features),
            target=np.concatenate([found.share for found in sampled]),
            weight=importance,
        ),
    )


def _affordable(all_choices: list[RootChoices], keys: list[NDArray[np.uint64]], config: MiningConfig) -> int:
    """How many of the choices with the smallest keys fit both limits."""
    sizes = np.concatenate([np.diff(found.start) for found in all_choices])
    order = np.argsort(np.concatenate(keys), kind="stable")
    affordable = int(np.searchsorted(np.cumsum(sizes[order]), config.softmax.alternatives, side="right"))
    return min(config.softmax.choices, affordable)


def _subset(found: RootChoices, places: NDArray[np.int64]) -> RootChoices:
    sizes = np.diff(found.start)
    kept = np.zeros(len(sizes), dtype=np.bool_)
    kept[places] = True
    alternatives = np.repeat(kept, sizes)
    start = np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.int64)
    return RootChoices(found.step[kept], start, found.row[alternatives], found.share[alternatives])


def _move_batch(records: Sequence[MatchBatchRecord], sampled: list[RootChoices]) -> MoveBatch:
    """All alternatives of the sampled choices, in order."""
    sizes = np.concatenate([np.diff(found.start) for found in sampled])
    return MoveBatch(
        states=np.concatenate([record.states[found.step] for record, found in zip(records, sampled, strict=True)]),
        last_rows=np.concatenate(
            [record.last_rows()[found.step] for record, found in zip(records, sampled, strict=True)]
        ),
        state_index=np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
        row=np.concatenate([found.row for found in sampled]),
    )
