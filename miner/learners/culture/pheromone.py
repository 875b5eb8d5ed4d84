"""The trails of ants: pheromone, which evaporates, and desirability, which does not (Sharma 2009, section 8.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.miner.learners.culture.forages import Foraged, Landscape, LandscapeLayer

_UNKNOWN = 0.5  # score of what was never seen: that of a draw


@dataclass(frozen=True, eq=False)
class Trails:
    """The trails of all species. Scores are goals as shares of 100."""

    pheromone: NDArray[np.float32]  # [role, n_weights]
    move_pheromone: NDArray[np.float32]  # [row]
    goals: NDArray[np.int64]  # [role, n_weights] sums over all forages
    count: NDArray[np.int64]  # [role, n_weights]
    move_goals: NDArray[np.int64]  # [row]
    move_count: NDArray[np.int64]  # [row]

    @classmethod
    def new(cls, roles: int, weights: int, rows: int, persistence: float) -> Trails:
        """Return trails as if draws had been played there forever."""
        level = _UNKNOWN / (1 - persistence)
        counts = [np.zeros((roles, weights), np.int64) for _ in range(2)]
        move_counts = [np.zeros(rows, np.int64) for _ in range(2)]
        return cls(
            np.full((roles, weights), level, np.float32), np.full(rows, level, np.float32), *counts, *move_counts
        )

    def after(self, found: Foraged, persistence: float) -> Trails:
        """Return the trails after a forage: what is left of the pheromone, and the mean score of the forage."""
        return Trails(
            _deposited(self.pheromone, found.feature_goals, found.feature_count, persistence),
            _deposited(self.move_pheromone, found.move_goals, found.move_count, persistence),
            self.goals + found.feature_goals,
            self.count + found.feature_count,
            self.move_goals + found.move_goals,
            self.move_count + found.move_count,
        )

    def landscape(self, pheromone_influence: float, desirability_influence: float) -> Landscape:
        """Return what ants read; the desirability is the mean score of all forages."""
        return Landscape(
            LandscapeLayer(self.pheromone, self.move_pheromone, pheromone_influence),
            LandscapeLayer(
                _mean_score(self.goals, self.count, _UNKNOWN).astype(np.float32),
                _mean_score(self.move_goals, self.move_count, _UNKNOWN).astype(np.float32),
                desirability_influence,
            ),
        )


def _deposited(
    before: NDArray[np.float32], goals: NDArray[np.int64], count: NDArray[np.int64], persistence: float
) -> NDArray[np.float32]:
    return (persistence * before.astype(np.float64) + _mean_score(goals, count, 0.0)).astype(np.float32)


def _mean_score(goals: NDArray[np.int64], count: NDArray[np.int64], unseen: float) -> NDArray[np.float64]:
    return np.where(count > 0, goals / (100 * np.maximum(count, 1)), unseen)
