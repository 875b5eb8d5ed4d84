"""Samples that depend on names and a seed alone, so that they are the same however matches are divided among records.

Everything that may be sampled gets an evenly spread key, a hash of its name; the smallest keys are the sample.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.search.records import MatchBatchRecord, select_places

__all__ = ["held_out_matches", "match_keys", "smallest", "step_keys", "thin_records"]

Keys = NDArray[np.uint64]


def match_keys(record: MatchBatchRecord, seed: int) -> Keys:
    """[match] keys of matches, by their ids."""
    return np.array([_hash(seed, "match", match_id) for match_id in record.ids], dtype=np.uint64)


def held_out_matches(record: MatchBatchRecord, share: float, seed: int) -> NDArray[np.bool_]:
    """[match] whether a match is kept for testing what the others taught; this is true of about `share` of them."""
    return np.array([_hash(seed, "held out", match_id) < share * 2.0**64 for match_id in record.ids], dtype=np.bool_)


def step_keys(record: MatchBatchRecord, steps: NDArray[np.int64], role: int, seed: int) -> Keys:
    """[step] keys of the decisions of a role, by the match's id and the move number."""
    match_keys = np.array([_hash(seed, role, match_id) for match_id in record.ids], dtype=np.uint64)
    match = record.match_of_step()[steps]
    number = (steps - record.start[match]).astype(np.uint64)
    return _mix(match_keys[match] + number * np.uint64(0x9E3779B97F4A7C15))


def smallest(keys: Keys, budget: int) -> NDArray[np.int64]:
    """Places of the `budget` smallest keys, ascending."""
    if len(keys) <= budget:
        return np.arange(len(keys), dtype=np.int64)
    return np.sort(np.argsort(keys, kind="stable")[:budget])


def thin_records(records: Sequence[MatchBatchRecord], states: int, seed: int) -> list[MatchBatchRecord]:
    """About `states` states of the records, in whole matches."""
    sizes = [np.diff(record.start).astype(np.int64) for record in records]
    if sum(int(each.sum()) for each in sizes) <= states:
        return list(records)
    keys = [match_keys(record, seed) for record in records]
    joined = np.concatenate(keys)
    order = np.argsort(joined, kind="stable")
    fitting = int(np.searchsorted(np.cumsum(np.concatenate(sizes)[order]), states, side="right"))
    most = joined[order[max(0, fitting - 1)]]
    return [select_places(record, np.flatnonzero(own <= most)) for record, own in zip(records, keys, strict=True)]


def _hash(*parts: int | str) -> int:
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _mix(x: Keys) -> Keys:
    """The finaliser of splitmix64 (Steele, Lea & Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
