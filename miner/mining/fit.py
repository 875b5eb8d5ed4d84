"""Log-weights of one role's features, fitted jointly to the root visits of recorded searches."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agent.knowledge import Feature, occurrences
from miner.mining.config import MiningConfig
from miner.mining.role_record import RoleRecord
from miner.mining.softmax import Choices, fit_softmax

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


def fit_role(searched: RoleRecord, importance: NDArray[np.float64], config: MiningConfig, seed: int) -> RoleFit:
    """Fit all frequent features jointly and roughly, keep those that explain most, and fit these well.

    The fit uses a sample of the root choices within the limits of the configuration. `importance[match]` is the weight
    of the choices of a match.
    """
    limits = config.softmax
    sample = searched.sample_choices(limits.choices, seed, limits.alternatives)
    matrix = occurrences(
        searched.alternatives(sample), searched.geometry, config.feature_classes, config.enumeration(limits.min_count)
    )
    if len(sample.step) == 0 or not matrix.features:
        return RoleFit({}, len(sample.step), 0.0)
    choices = Choices(
        start=sample.start,
        indptr=matrix.start,
        features=matrix.ids,
        n_features=len(matrix.features),
        target=sample.share,
        weight=importance[searched.matches_of(sample.step)],
    )
    fit = fit_softmax(choices, penalty=limits.penalty, max_iterations=max(1, limits.iterations // 2))
    gain = 0.5 * fit.weights**2 * fit.information
    kept = np.sort(np.argsort(-gain, kind="stable")[: config.max_features])
    kept = kept[gain[kept] > 0]
    choices = choices.keep(kept)
    fit = fit_softmax(choices, penalty=limits.penalty, start=fit.weights[kept], max_iterations=limits.iterations)
    gain = 0.5 * fit.weights**2 * fit.information
    per_choice = gain / float(np.add.reduce(choices.weight))
    features = [matrix.features[i] for i in kept.tolist()]
    fitted = {
        feature: FittedWeight(float(weight), float(error), float(explained))
        for feature, weight, error, explained in zip(features, fit.weights, fit.errors, per_choice, strict=True)
        if np.isfinite(error)
    }
    return RoleFit(fitted, len(choices.weight), fit.explained)
