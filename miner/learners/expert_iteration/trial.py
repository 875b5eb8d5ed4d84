"""A trial of new features: those are kept that lower the cross-entropy on examples held out from learning.

A candidate learns a weight of its own from the other examples, by Newton's method, while the rest of the policy stays
as it is. It is kept where the weight lowers the mean cross-entropy of the examples held out by more than the standard
error of that mean.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix

from gdl_miner.miner.learners.expert_iteration.experience import Experience
from gdl_miner.miner.learners.expert_iteration.policy import log_softmax
from gdl_miner.miner.mining import elementary
from gdl_miner.miner.mining.softmax import Vector

_EVERY = 5  # one example of so many is held out
_STEPS = 6  # of Newton's method
_LONGEST_STEP = 1.0  # change of a weight in one of them
_MIXERS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9)  # odd constants of splitmix64 (Steele, Lea & Flood 2014)


def held_out(experience: Experience) -> NDArray[np.bool_]:
    """Return [example] whether it is held out: one of five, by its state, so that equal states are on the same side."""
    mixed = np.zeros(len(experience), np.uint64)
    for word in range(experience.states.shape[1]):
        mixed = (mixed ^ experience.states[:, word]) * np.uint64(_MIXERS[0])
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(_MIXERS[1])
    return np.asarray((mixed >> np.uint64(33)) % np.uint64(_EVERY) == 0)


def useful(
    candidates: csr_matrix, values: Vector, examples: Experience, held: NDArray[np.bool_], most: int
) -> list[int]:
    """Return the candidates that lower the cross-entropy on examples held out, at most `most`, in their order.

    Those that are kept are part of the policy when the next one is tried.

    Args:
        candidates: [alternative, candidate] how often a candidate counts.
        values: [alternative] what the policy's weights add up to.
        examples: examples of one role.
        held: [example] whether it is held out.
        most: number of candidates to keep.
    """
    kept: list[int] = []
    columns, values = csc_matrix(candidates), values.copy()
    example = np.repeat(np.arange(len(examples)), np.diff(examples.start))
    for number in range(columns.shape[1]):
        if len(kept) == most:
            break
        counts = np.asarray(columns[:, number].todense()).reshape(-1)
        fires = np.zeros(len(examples), np.bool_)
        fires[example[counts != 0]] = True
        weight = _learned(counts, values, examples, fires & ~held)
        seen = fires & held
        without = _cross_entropies(values, examples, seen)
        lowered = without - _cross_entropies(values + weight * counts, examples, seen)
        if _is_above_error(lowered, int(held.sum())):
            kept.append(number)
            values = values + weight * counts
    return kept


def _learned(counts: Vector, values: Vector, examples: Experience, chosen: NDArray[np.bool_]) -> float:
    """Return the weight of a candidate that lowers the cross-entropy of some examples most."""
    alternatives, start = _part(examples, chosen)
    if not len(alternatives):
        return 0.0
    fired, fixed, shares = counts[alternatives], values[alternatives], examples.shares[alternatives]
    wanted, weight = float(np.add.reduce(shares * fired)), 0.0
    for _ in range(_STEPS):
        policy = elementary.exp(log_softmax(fixed + weight * fired, start))
        means = np.add.reduceat(policy * fired, start[:-1])
        squares = np.add.reduceat(policy * fired**2, start[:-1])
        curvature = float(np.add.reduce(squares - means**2))
        if curvature < 1e-9:
            break
        step = (wanted - float(np.add.reduce(means))) / curvature
        weight += max(-_LONGEST_STEP, min(_LONGEST_STEP, step))
    return weight


def _cross_entropies(values: Vector, examples: Experience, chosen: NDArray[np.bool_]) -> Vector:
    """Return the cross-entropies of some examples in nats."""
    alternatives, start = _part(examples, chosen)
    if not len(alternatives):
        return np.zeros(0)
    log_policy = log_softmax(values[alternatives], start)
    return -np.asarray(np.add.reduceat(examples.shares[alternatives] * log_policy, start[:-1]))


def _part(examples: Experience, chosen: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the alternatives of some examples, and where those of each begin."""
    sizes = np.diff(examples.start)
    alternatives = np.flatnonzero(np.repeat(chosen, sizes))
    return alternatives, np.concatenate([[0], np.cumsum(sizes[chosen])]).astype(np.int64)


def _is_above_error(lowered: Vector, examples: int) -> bool:
    """Whether the mean of what is lowered is above its standard error, over examples of which the others stay equal."""
    if examples < 2 or not len(lowered):
        return False
    mean = float(np.add.reduce(lowered)) / examples
    variance = (float(np.add.reduce(lowered**2)) - examples * mean**2) / (examples - 1)
    return mean > math.sqrt(max(0.0, variance) / examples)
