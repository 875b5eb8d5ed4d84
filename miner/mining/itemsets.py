"""Itemsets that sharpen a feature: dual-basket Apriori over the states in which it fired (thesis 4.3.3).

A basket holds the facts and metafacts of one such state. It is desirable if its match ended the way the feature's phi
points, undesirable if it ended the other way, and neither if it was a draw. Candidates come from part of the matches;
an itemset is taken only if it raises |phi| on the others.
"""

from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.features import Feature, FeatureItemsetOnly, Itemset, every_item, item_masks, items_hold
from gdl_miner.miner.mining.apriori import Thresholds, dual_basket_apriori
from gdl_miner.miner.mining.config import ItemsetConfig, MiningConfig
from gdl_miner.miner.mining.role_record import RoleDecisions
from gdl_miner.miner.mining.statistics import FULL_SHARE, phi_coefficient

_RANKED = 200  # accepted itemsets whose phi is computed, largest difference of supports first


class FeatureItemset(NamedTuple):
    """An itemset accepted for a feature."""

    feature: Feature
    itemset: Itemset
    phi: float  # of feature and itemset together, on the matches held out


class ItemsetSearch(NamedTuple):
    """The itemsets found for the features of a role."""

    itemsets: tuple[FeatureItemset, ...] = ()
    notes: tuple[str, ...] = ()  # limits that were met, in words


class LabelledDecisions(NamedTuple):
    """The decisions of a role in the order of a feature matrix."""

    shares: NDArray[np.int64]  # [decision] result share of its match, 0..FULL_SHARE
    held_out: NDArray[np.bool_]  # [decision] its match is kept for the test


class BestItemset(NamedTuple):
    """The items that sharpen a feature most; empty if no items do."""

    items: tuple[int, ...]
    phi: float  # of feature and items together, on the matches held out
    complete: bool  # the search was not cut short


_NOTHING = BestItemset((), 0.0, True)


def seek_itemsets(
    signs: Mapping[Feature, int], decisions: RoleDecisions, held_out: NDArray[np.bool_], config: MiningConfig
) -> ItemsetSearch:
    """Seek an itemset for each of the first features; `signs` holds the signs of their phi.

    Itemsets that the other matches suggest are tested on the matches `held_out`. The feature that always fires means
    something only with an itemset: if its class is enabled, an itemset that goes with losing is sought for it.
    """
    limits = config.itemsets
    wanted = dict(islice(signs.items(), limits.features))
    if FeatureItemsetOnly in config.feature_classes:
        wanted[FeatureItemsetOnly()] = -1
    labels = LabelledDecisions(decisions.shares[decisions.match], held_out[decisions.match])
    items = every_item(decisions.geometry, config.item_classes)
    masks = item_masks(items, decisions.geometry)
    taken, cut = [], 0
    for (feature, sign), fired in zip(wanted.items(), decisions.matrix.samples_with(list(wanted)), strict=True):
        held = items_hold(decisions.states[fired], masks)
        found = best_itemset(labels, fired, held, sign, limits)
        cut += not found.complete
        if found.items:
            taken.append(FeatureItemset(feature, Itemset(tuple(items[i] for i in found.items)), found.phi))
    notes = (f"the search for itemsets of {cut} features stopped at {limits.max_candidates} candidates",)
    return ItemsetSearch(tuple(taken), notes if cut else ())


def best_itemset(
    decisions: LabelledDecisions,
    fired: NDArray[np.int64],
    held: NDArray[np.bool_],
    sign: int,
    config: ItemsetConfig,
) -> BestItemset:
    """The itemset of the largest |phi| on the training matches, if it raises |phi| on the matches held out.

    `fired` are the decisions in which the feature fired, and `held[fired, item]` says which items held there. `sign` is
    the sign of the feature's phi: +1 seeks an itemset that goes with winning, -1 one that goes with losing.
    """
    training = ~decisions.held_out[fired]
    ahead = sign * (2 * decisions.shares[fired] - FULL_SHARE)
    wanted = _thin(np.flatnonzero(training & (ahead > 0)), config.max_baskets)
    other = _thin(np.flatnonzero(training & (ahead < 0)), config.max_baskets)
    if len(wanted) == 0 or len(other) == 0:
        return _NOTHING
    items = _informative(held[wanted], held[other], config)
    least = max(1, int(np.ceil(config.min_desirable * len(wanted))))
    most = int(np.floor(config.max_undesirable * len(other)))
    thresholds = Thresholds(least, most, config.max_size, config.max_candidates)
    found = dual_basket_apriori(held[np.ix_(wanted, items)], held[np.ix_(other, items)], thresholds)
    complete = found.complete_size == config.max_size
    if not found.itemsets:
        return BestItemset((), 0.0, complete)
    difference = np.array(found.desirable) / len(wanted) - np.array(found.undesirable) / len(other)
    ranked = np.argsort(-difference, kind="stable")[:_RANKED]
    candidates = [tuple(int(items[i]) for i in found.itemsets[k]) for k in ranked.tolist()]
    phis = [sign * _phi(decisions, fired[held[:, c].all(axis=1)], ~decisions.held_out) for c in candidates]
    best = candidates[int(np.argmax(phis))]
    alone = sign * _phi(decisions, fired, decisions.held_out)
    together = sign * _phi(decisions, fired[held[:, best].all(axis=1)], decisions.held_out)
    if not together > alone >= 0:
        return BestItemset((), 0.0, complete)
    return BestItemset(best, sign * together, complete)


def _phi(decisions: LabelledDecisions, fired: NDArray[np.int64], among: NDArray[np.bool_]) -> float:
    """Phi of firing, over the decisions `among`."""
    share = decisions.shares / FULL_SHARE
    counted = fired[among[fired]]
    fired_n, fired_won = float(len(counted)), float(share[counted].sum())
    n, won = float(among.sum()), float(share[among].sum())
    absent, absent_won = n - fired_n, won - fired_won
    return float(phi_coefficient(fired_won, fired_n - fired_won, absent_won, absent - absent_won))


def _informative(wanted: NDArray[np.bool_], other: NDArray[np.bool_], config: ItemsetConfig) -> NDArray[np.int64]:
    """Items frequent enough among the wanted baskets and unequally frequent in the two sets, ascending."""
    often, rarely = wanted.mean(axis=0), other.mean(axis=0)
    eligible = np.flatnonzero((often >= config.min_desirable) & (often != rarely))
    order = np.argsort(-np.abs(often - rarely)[eligible], kind="stable")
    return np.sort(eligible[order[: config.max_items]])


def _thin(places: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """At most `limit` of the places, evenly spaced."""
    if len(places) <= limit:
        return places
    return places[np.arange(limit) * len(places) // limit]
