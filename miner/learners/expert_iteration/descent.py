"""Stochastic gradient descent on the cross-entropy between expert and apprentice, (5) and (6) of Soemers et al. 2019.

An update draws a batch of examples from all experience. With π the apprentice's and p the expert's distribution over
the legal moves m of an example, and φ(m) the features of a move, it is

    g = mean over the batch of Σ_m (π(m) − p(m)) φ(m) + λ θ,      v ← μ v + g,      θ ← θ − α v                     (6)

which lowers the mean of −Σ_m p(m) ln π(m), plus ½ λ |θ|². Roles with features of their own learn apart, each from its
examples in the batch. Sums run in a fixed order, so equal input gives equal bytes on every processor.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from gdl_miner.miner.learners.expert_iteration.experience import Experience
from gdl_miner.miner.learners.expert_iteration.policy import log_softmax
from gdl_miner.miner.mining import elementary
from gdl_miner.miner.mining.softmax import Vector


@dataclass(frozen=True)
class DescentSettings:
    """How often and how far the weights are changed."""

    updates: int
    batch: int  # examples of an update, at most as many as there are
    step_size: float  # α
    penalty: float  # λ
    momentum: float  # μ; 0: none


def descend(
    weights: Mapping[int, Vector],
    velocities: Mapping[int, Vector],
    counts: Mapping[int, csr_matrix],
    experience: Experience,
    settings: DescentSettings,
    dice: random.Random,
) -> tuple[dict[int, Vector], dict[int, Vector]]:
    """Return the weights and velocities after some updates, by role.

    Args:
        weights: by role with features of its own, [feature].
        velocities: by role, [feature].
        counts: by role, [alternative of the role's examples, feature] how often a feature counts.
        experience: all examples.
        settings: how often and how far.
        dice: draws the batches.
    """
    weights, velocities = dict(weights), dict(velocities)
    parts = {role: experience.of_owner(role) for role in weights}
    number = np.zeros(len(experience), np.int64)  # of an example among those of its role
    for role in weights:
        own = experience.owners == role
        number[own] = np.arange(int(own.sum()))
    size = min(settings.batch, len(experience))
    for _ in range(settings.updates if size else 0):
        drawn = np.array(sorted(dice.sample(range(len(experience)), size)), np.int64)
        for role, part in parts.items():
            mine = number[drawn[experience.owners[drawn] == role]]
            slope = settings.penalty * weights[role]
            if len(mine):
                slope = slope + _gradient(weights[role], counts[role], part, mine) / size
            velocities[role] = settings.momentum * velocities[role] + slope
            weights[role] = weights[role] - settings.step_size * velocities[role]
    return weights, velocities


def _gradient(weights: Vector, counts: csr_matrix, experience: Experience, examples: np.ndarray) -> Vector:
    """Return the sum over the examples of Σ_m (π(m) − p(m)) φ(m)."""
    alternatives = experience.alternatives_of(examples)
    fired = counts[alternatives]
    start = np.concatenate([[0], np.cumsum(np.diff(experience.start)[examples])]).astype(np.int64)
    policy = elementary.exp(log_softmax(np.asarray(fired @ weights), start))
    return np.asarray(fired.T @ (policy - experience.shares[alternatives]))
