"""Dual-basket Apriori: itemsets frequent in one set of baskets and infrequent in another (thesis algorithm 4.3).

Baskets are columns of bit vectors: item i is the packed set of baskets that hold it, so the support of an itemset is
the population count of an AND. Sizes up to `EXACT_SIZE` are searched exhaustively (every frequent itemset is visited,
whatever its support among the undesirable baskets). Larger itemsets grow only from accepted ones, as in the algorithm,
so that some may be missed.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

EXACT_SIZE = 3
_BLOCK_WORDS = 1 << 21  # words ANDed at once: bounds the memory of one step to about 16 MiB
_ONES = np.array([bin(x).count("1") for x in range(1 << 16)], dtype=np.uint8)

Bits = NDArray[np.uint64]
ItemsetRows = NDArray[np.int64]


class Thresholds(NamedTuple):
    """Conditions on an itemset, in baskets, and limits of the search."""

    min_desirable: int  # least number of desirable baskets that hold it; at least 1
    max_undesirable: int  # greatest number of undesirable baskets that hold it
    max_size: int = EXACT_SIZE
    max_candidates: int = 2_000_000  # itemsets examined, all sizes together


class FoundItemsets(NamedTuple):
    """Accepted itemsets, by size and then lexicographically."""

    itemsets: tuple[tuple[int, ...], ...]  # ascending item numbers
    desirable: tuple[int, ...]  # supporting baskets in D
    undesirable: tuple[int, ...]  # supporting baskets in U
    complete_size: int  # sizes up to this one were searched; less than max_size if max_candidates ended the search


class _Pool(NamedTuple):
    desirable: Bits  # [item, word]
    undesirable: Bits  # [item, word]
    thresholds: Thresholds


class _Level(NamedTuple):
    sets: ItemsetRows  # [itemset, size], rows ascending
    desirable: NDArray[np.int64]  # [itemset]
    undesirable: NDArray[np.int64]  # [itemset]

    def where(self, keep: NDArray[np.bool_]) -> "_Level":
        return _Level(self.sets[keep], self.desirable[keep], self.undesirable[keep])


def pack_baskets(membership: NDArray[np.bool_]) -> Bits:
    """Bit vectors `uint64[item, word]` of a Boolean table `[basket, item]`; unused high bits are zero."""
    n_baskets, n_items = membership.shape
    words = max(1, -(-n_baskets // 64))
    padded = np.zeros((n_items, words * 8), dtype=np.uint8)
    packed = np.packbits(membership.T, axis=1, bitorder="little")
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


def support_counts(bits: Bits, itemsets: ItemsetRows) -> NDArray[np.int64]:
    """Number of baskets that hold each of `itemsets[k, size]`, with baskets packed by `pack_baskets`."""
    counts = np.zeros(len(itemsets), dtype=np.int64)
    step = max(1, _BLOCK_WORDS // max(1, bits.shape[1]))
    for first in range(0, len(itemsets), step):
        block = itemsets[first : first + step]
        held = bits[block[:, 0]]
        for column in range(1, block.shape[1]):
            held &= bits[block[:, column]]
        counts[first : first + step] = _ONES[held.view(np.uint16)].sum(axis=1, dtype=np.int64)
    return counts


def dual_basket_apriori(
    desirable: NDArray[np.bool_], undesirable: NDArray[np.bool_], thresholds: Thresholds
) -> FoundItemsets:
    """Find the itemsets with enough desirable and few enough undesirable baskets: all up to size 3, some larger ones.

    `desirable[basket, item]` and `undesirable[basket, item]` share their items. The search examines sizes in order and
    stops before a size whose candidates would exceed `thresholds.max_candidates` in total; `complete_size` says which
    sizes were searched.
    """
    if desirable.shape[1] != undesirable.shape[1]:
        raise ValueError(
            f"the basket sets have {desirable.shape[1]} and {undesirable.shape[1]} items; give equal numbers"
        )
    if thresholds.min_desirable < 1:
        raise ValueError(f"min_desirable is {thresholds.min_desirable}; it must be at least 1")
    pool = _Pool(pack_baskets(desirable), pack_baskets(undesirable), thresholds)
    accepted: list[_Level] = []
    complete = 0
    for level in _levels(pool):
        accepted.append(level)
        complete += 1
    return FoundItemsets(
        itemsets=tuple(tuple(int(i) for i in row) for level in accepted for row in level.sets),
        desirable=tuple(int(n) for level in accepted for n in level.desirable),
        undesirable=tuple(int(n) for level in accepted for n in level.undesirable),
        complete_size=complete if complete < thresholds.max_size else thresholds.max_size,
    )


def _levels(pool: _Pool) -> Iterator[_Level]:
    """Yield the accepted itemsets of size 1, 2, …; stop before a size whose candidates would exceed the budget."""
    limit = pool.thresholds
    examined = 0
    # Every subset of an itemset frequent in D is frequent in D (lemma 4.3.1): extending the frequent ones misses none.
    frequent = _Level(np.zeros((1, 0), dtype=np.int64), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
    for size in range(1, limit.max_size + 1):
        if size == 1:
            candidates = np.arange(len(pool.desirable), dtype=np.int64)[:, None]
        elif size <= EXACT_SIZE:
            candidates = _extend_upwards(frequent.sets, limit.max_candidates - examined)
        else:
            candidates = _extend_any(frequent.sets, limit.max_candidates - examined)
        examined += len(candidates)
        if examined > limit.max_candidates:
            return
        frequent = _examine(pool, candidates)
        accepted = frequent.where(frequent.undesirable <= limit.max_undesirable)
        if size >= EXACT_SIZE:
            frequent = accepted
        yield accepted


def _examine(pool: _Pool, candidates: ItemsetRows) -> _Level:
    """The candidates that are frequent among the desirable baskets, with both supports."""
    count = support_counts(pool.desirable, candidates)
    keep = count >= pool.thresholds.min_desirable
    candidates, count = candidates[keep], count[keep]
    return _Level(candidates, count, support_counts(pool.undesirable, candidates))


def _extend_upwards(sets: ItemsetRows, budget: int) -> ItemsetRows:
    """Extend each set by each greater item that occurs in some set; every superset arises once, in order.

    If there are more than `budget`, the result is `budget + 1` rows of zeros, which only show that it is exceeded.
    """
    items = np.unique(sets)
    first = np.searchsorted(items, sets[:, -1], side="right")
    extensions = len(items) - first
    total = int(extensions.sum())
    if total > budget:
        return np.zeros((budget + 1, sets.shape[1] + 1), dtype=np.int64)
    parent = np.repeat(np.arange(len(sets)), extensions)
    offset = np.arange(total) - np.repeat(np.cumsum(extensions) - extensions, extensions)
    return np.column_stack([sets[parent], items[first[parent] + offset]]).astype(np.int64, copy=False)


def _extend_any(sets: ItemsetRows, budget: int) -> ItemsetRows:
    """C_k of algorithm 4.3: each accepted set with each other item of the accepted sets, duplicates removed."""
    items = np.unique(sets)
    size = sets.shape[1] + 1
    if len(sets) * (len(items) - size + 1) > size * budget:  # a candidate arises from at most `size` parents
        return np.zeros((budget + 1, size), dtype=np.int64)
    grown = np.column_stack([np.repeat(sets, len(items), axis=0), np.tile(items, len(sets))])
    fresh = (grown[:, :-1] != grown[:, -1:]).all(axis=1)
    return np.unique(np.sort(grown[fresh], axis=1), axis=0).astype(np.int64, copy=False)
