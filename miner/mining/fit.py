"""Log-weights of one role's features, fitted jointly to the root visits of recorded searches."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agent.knowledge import Feature, Geometry, MoveBatch, occurrences
from agent.reasoner.machine import Machine
from miner.mining.config import MiningConfig
from miner.mining.decisions import RootChoices, root_choices
from miner.mining.sampling import smallest, step_keys
from miner.mining.softmax import Choices, fit_softmax
from miner.mining.training_data import TrainingData

__all__ = ["FittedWeight", "RoleFit", "fit_role"]


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
class _RoleChoices:
    """Root choices of one role with the features of their alternatives."""

    features: tuple[Feature, ...]
    choices: Choices


def fit_role(data: TrainingData, machine: Machine, geometry: Geometry, role: int, config: MiningConfig) -> RoleFit:
    """Fit all frequent features together roughly, keep those that explain most, fit these well."""
    collected = _collect_choices(data, machine, geometry, role, config)
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


def _collect_choices(
    data: TrainingData, machine: Machine, geometry: Geometry, role: int, config: MiningConfig
) -> _RoleChoices:
    """A sample of the role's root choices within the limits of the configuration, and what fires in them."""
    record = data.searches
    found = root_choices(record, machine, role)
    keys = step_keys(record, found.step, role, data.seed)
    found = found.at(smallest(keys, _affordable(found, keys, config)))
    batch = MoveBatch(
        states=record.states[found.step],
        last_rows=record.last_rows()[found.step],
        state_index=np.repeat(np.arange(len(found.step), dtype=np.int32), found.sizes),
        row=found.row,
    )
    matrix = occurrences(batch, geometry, config.feature_classes, config.enumeration(config.softmax.min_count))
    return _RoleChoices(
        matrix.features,
        Choices(
            start=found.start,
            indptr=matrix.start,
            features=matrix.ids,
            n_features=len(matrix.features),
            target=found.share,
            weight=data.importance[record.match_of_step()[found.step]],
        ),
    )


def _affordable(found: RootChoices, keys: NDArray[np.uint64], config: MiningConfig) -> int:
    """How many of the choices with the smallest keys fit both limits."""
    summed = np.cumsum(found.sizes[np.argsort(keys, kind="stable")])
    return min(config.softmax.choices, int(np.searchsorted(summed, config.softmax.alternatives, side="right")))
