"""Goals in the scale of reinforcement learning."""

from __future__ import annotations


def utility(goal: int) -> float:
    """Return what a goal of 0 to 100 is worth, from -1 to 1."""
    return goal / 50 - 1
