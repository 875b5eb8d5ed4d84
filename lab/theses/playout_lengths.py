"""The length of playouts from the initial state."""

from __future__ import annotations

import random

import numpy as np

from gdl_miner.agent import _native
from gdl_miner.agent.features.native_tables import KnowledgeTables
from gdl_miner.agent.knowledge.scoring import Phase
from gdl_miner.agent.reasoner.machine import Machine

__all__ = ["mean_playout_length"]

_PLAYOUTS = 256


def mean_playout_length(
    machine: Machine, tables: KnowledgeTables | None, seed: int, playouts: int = _PLAYOUTS
) -> float:
    """Return the mean number of joint moves of playouts in which knowledge draws all moves of all roles.

    Without tables the moves are uniformly random. The playouts go on side by side, a move of each at a time.
    """
    batch, dice = _native.StateBatch(machine.native), random.Random(seed)
    scorer = None if tables is None else _native.Scorer(tables)
    states = np.repeat(np.asarray(machine.initial(), np.uint64)[None, :], playouts, axis=0)
    last = np.full((playouts, len(machine.roles)), -1, np.int32)
    moves = 0
    while len(states):
        going = batch.terminal(states) == 0
        states, last = states[going], last[going]
        if not len(states):
            break
        start, rows = batch.legal(states)
        joints = np.empty_like(last)
        for role in range(len(machine.roles)):
            own = (rows >= machine.rows(role).start) & (rows < machine.rows(role).stop)
            bounds = np.concatenate([[0], np.cumsum(own)])[start]
            weights = np.ones(int(bounds[-1]), np.uint32)
            if scorer is not None and scorer.acts_in(Phase.PLAYOUT, role):
                weights = scorer.score(Phase.PLAYOUT, role, states, last, bounds.astype(np.int64), rows[own])
            joints[:, role] = _drawn(rows[own], weights, bounds, dice)
        states, last, moves = batch.next(states, joints), joints, moves + len(states)
    return moves / playouts


def _drawn(rows: np.ndarray, weights: np.ndarray, bounds: np.ndarray, dice: random.Random) -> list[int]:
    """Return a row of each state, drawn in proportion to its weight."""
    found = []
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        found.append(dice.choices(rows[first:last].tolist(), weights[first:last].tolist())[0])
    return found
