"""The reach of a game's moves: how far apart the cells lie that one of them changes."""

from __future__ import annotations

import numpy as np

from agent.knowledge.geometry import NOWHERE, geometry_of
from agent.reasoner.discovery import sample_transitions
from agent.reasoner.machine import Machine

__all__ = ["reach_of_moves"]


def reach_of_moves(machine: Machine) -> int:
    """Return the largest distance, along a dimension, of two fields that one joint move of random matches changes.

    It is 1 in breakthrough, 6 in othello, whose moves turn lines of discs, and 0 where moves change one field or none.
    """
    geometry = geometry_of(machine)
    on_board = np.flatnonzero(geometry.fluent_point != NOWHERE)
    sample = sample_transitions(machine.circuit, machine.native)
    changed = (sample.before != sample.after)[:, on_board]
    reach = 0
    for own in changed:
        points = geometry.points[geometry.fluent_point[on_board[own]]]
        if len(points):
            reach = max(reach, int(np.ptp(points, axis=0).max()))
    return reach
