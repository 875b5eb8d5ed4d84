"""Log-weights of one role's features, fitted jointly to the root visits of recorded searches."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import Feature, Item, Itemset, every_item, item_masks, items_hold, occurrences
from gdl_miner.agent.geometry import Geometry
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.mining.candidates import Candidate, columns_of
from gdl_miner.miner.mining.config import MiningConfig
from gdl_miner.miner.mining.restrictions import Restriction, restrict
from gdl_miner.miner.mining.role_record import RoleRecord
from gdl_miner.miner.mining.sharing import FeatureSharing
from gdl_miner.miner.mining.softmax import Choices, fit_scale, fit_softmax


class FittedWeight(NamedTuple):
    """One feature's part in a joint fit, alone or restricted to an itemset."""

    weight: float
    error: float  # standard error
    gain: float  # ½ weight² · variance of firing among the alternatives, in nats per choice


class RoleFit(NamedTuple):
    """A joint fit for one role."""

    weights: dict[tuple[Feature, Itemset | None], FittedWeight]
    choices: int
    explained: float  # share of the avoidable cross-entropy


def fit_role(
    searched: RoleRecord,
    sharing: FeatureSharing,
    importance: NDArray[np.float64],
    config: MiningConfig,
    seed: int,
    candidates: Sequence[Candidate] = (),
    valuing: PlayerSpec | None = None,
) -> RoleFit:
    """Fit all frequent features jointly and roughly, keep those that explain most, and fit these well.

    Of features that fire for the same moves only the first is fitted, which is of the simplest class.
    Features whose weight depends on the state are then fitted again together with their restrictions to itemsets. The
    fit uses a sample of the root choices within the limits of the configuration. `importance[match]` is the weight of
    the choices of a match. `candidates` are features that were found elsewhere and take part beside those found here.
    Where a player's values are known (`valuing`), the fit is given the value of each move, whose factor is fitted, too,
    and features explain the rest.
    """
    limits = config.softmax
    sample = searched.sample_choices(limits.choices, seed, limits.alternatives)
    batch = searched.alternatives(sample)
    enumeration = config.enumeration(limits.min_count)
    fired = sharing.tied(occurrences(batch, searched.geometry, config.feature_classes, enumeration), searched.role)
    matrix = columns_of(fired, candidates, batch, searched.machine, sharing, searched.role, limits.min_count)
    if len(sample.step) == 0 or not matrix.keys:
        return RoleFit({}, len(sample.step), 0.0)
    choices = Choices(
        start=sample.start,
        indptr=matrix.start,
        features=matrix.ids,
        n_features=len(matrix.keys),
        target=sample.share,
        weight=importance[searched.matches_of(sample.step)],
    )
    if valuing is not None:
        worth = searched.values_of(sample, valuing)
        choices = replace(choices, offset=fit_scale(choices, worth) * worth)  # in units in which τ is about 1
    distinct = choices.distinct()
    choices = choices.keep(distinct)
    fit = fit_softmax(choices, penalty=limits.penalty, max_iterations=max(1, limits.iterations // 2))
    best = np.sort(np.argsort(-fit.gain, kind="stable")[: config.max_features])
    best = best[fit.gain[best] > 0]
    kept, choices = distinct[best], choices.keep(best)
    fit = fit_softmax(
        choices, penalty=limits.penalty, start=fit.weights[best], scale=fit.scale, max_iterations=limits.iterations
    )
    columns = [Restriction(number, ()) for number in range(len(kept))]
    items: tuple[Item, ...] = ()
    if limits.itemsets:
        known = every_item(searched.geometry, config.item_classes)
        items, held = _varying_items(known, batch.states, searched.geometry, limits.min_count)
        columns, choices, fit = restrict(choices, fit, held, limits)
    per_choice = fit.gain / float(np.add.reduce(choices.weight))
    fitted = {
        _restricted(matrix.keys[kept[column.feature]], [items[i] for i in column.items]): FittedWeight(
            float(weight), float(error), float(explained)
        )
        for column, weight, error, explained in zip(columns, fit.weights, fit.errors, per_choice, strict=True)
        if np.isfinite(error)
    }
    return RoleFit(fitted, len(choices.weight), fit.explained)


def _restricted(key: tuple[Feature, Itemset | None], more: Sequence[Item]) -> tuple[Feature, Itemset | None]:
    """Return a feature with further items that have to hold."""
    feature, itemset = key
    items = dict.fromkeys((*(itemset.items if itemset else ()), *more))
    return feature, Itemset(tuple(items)) if items else None


def _varying_items(
    items: Sequence[Item], states: NDArray[np.uint64], geometry: Geometry, min_count: int
) -> tuple[tuple[Item, ...], NDArray[np.bool_]]:
    """Return the items that hold in some states and not in others, at least `min_count` of each, and [state, item]."""
    held = items_hold(states, item_masks(items, geometry))
    count = held.sum(axis=0)
    varying = np.flatnonzero((count >= min_count) & (count <= len(states) - min_count))
    return tuple(items[i] for i in varying.tolist()), held[:, varying]
