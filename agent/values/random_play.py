"""Random matches show the blank piece of a game, the cells that change, the reach of moves and the sum of goals."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.geometry import EMPTY, NOWHERE, geometry_of
from gdl_miner.agent.limits import LONGEST_MATCH
from gdl_miner.agent.reasoner.circuit import pack_states, unpack_states
from gdl_miner.agent.reasoner.sample import Transitions, sample_transitions

if TYPE_CHECKING:
    from gdl_miner.agent.reasoner.machine import Machine

_MATCHES = 200  # whose goals are added up


@lru_cache(maxsize=1)
def _sample(machine: Machine) -> Transitions:
    return sample_transitions(machine.circuit, machine.native)


def sampled_states(machine: Machine) -> NDArray[np.uint64]:
    """Return packed states of random matches, [state, word], none of them terminal."""
    return pack_states(np.unique(_sample(machine).before, axis=0))


def blank_of(machine: Machine) -> int:
    """Return the piece that counts as nothing: the most common one at the start and in random matches.

    There is none where some field has no piece at the start, or where the most common piece of the start is not so in
    the matches, as the number of stones in each pit.
    """
    geometry = geometry_of(machine)
    shown = np.flatnonzero(unpack_states(machine.initial(), len(machine.fluents)) & (geometry.fluent_point != NOWHERE))
    filled = len(set(geometry.fluent_point[shown].tolist())) == len(shown) == geometry.n_points
    if not filled or not geometry.n_points:
        return EMPTY
    counts = np.bincount(geometry.fluent_piece[shown])
    on_board = np.flatnonzero(geometry.fluent_point != NOWHERE)
    held = _sample(machine).before[:, on_board].sum(axis=0)
    later = np.bincount(geometry.fluent_piece[on_board], weights=held)
    return int(counts.argmax()) if counts.argmax() == later.argmax() else EMPTY


def changing_points(machine: Machine) -> tuple[int, ...]:
    """Return the points of a board whose contents change: the others hold nothing, or always the same piece."""
    geometry = geometry_of(machine)
    on_board = np.flatnonzero(geometry.fluent_point != NOWHERE)
    points = geometry.fluent_point[on_board]
    filled = points[geometry.fluent_piece[on_board] != blank_of(machine)]
    held = _sample(machine).before[:, on_board]
    changing = np.bincount(points, minlength=geometry.n_points) > 1
    changing[points[held.any(axis=0) & ~held.all(axis=0)]] = True
    return tuple(np.intersect1d(np.flatnonzero(changing), filled).tolist())


def reach_of_moves(machine: Machine) -> int:
    """Return the largest distance, along a dimension, of two fields that one joint move of random matches changes.

    It is 1 in breakthrough, 6 in othello, whose moves turn lines of discs, and 0 where moves change one field or none.
    """
    geometry = geometry_of(machine)
    on_board = np.flatnonzero(geometry.fluent_point != NOWHERE)
    sample = _sample(machine)
    changed = (sample.before != sample.after)[:, on_board]
    reach = 0
    for own in changed:
        points = geometry.points[geometry.fluent_point[on_board[own]]]
        if len(points):
            reach = max(reach, int(np.ptp(points, axis=0).max()))
    return reach


def has_constant_sum(machine: Machine) -> bool:
    """Whether there are two players, whose goals add up to 100 in many random matches that all end."""
    players = list(machine.circuit.choosing_roles)
    if len(players) != 2:
        return False
    batch, dice = _native.StateBatch(machine.native), np.random.default_rng(0)
    states = np.repeat(machine.initial()[None, :], _MATCHES, axis=0)
    for _ in range(LONGEST_MATCH):
        over = batch.terminal(states).astype(np.bool_)
        if (batch.goals(states[over])[:, players].sum(axis=1) != 100).any():
            return False
        states = states[~over]
        if not len(states):
            return True
        states = batch.next(states, _random_moves(machine, batch.legal(states), len(states), dice))
    return False


def _random_moves(
    machine: Machine, legal: tuple[NDArray[np.int64], NDArray[np.int32]], n_states: int, dice: np.random.Generator
) -> NDArray[np.int32]:
    """Return [state, role] rows drawn among the legal ones, which are given as [state + 1] offsets into rows."""
    start, rows = legal
    state = np.repeat(np.arange(n_states), np.diff(start))
    joint = np.empty((n_states, len(machine.roles)), np.int32)
    for role, name in enumerate(machine.roles):
        of_role = machine.rows(role)
        own = (rows >= of_role.start) & (rows < of_role.stop)
        numbers = np.bincount(state[own], minlength=n_states)
        if not numbers.all():
            raise RuleError(
                f"{machine.sheet.source}: {name} has no legal move in a state that is not terminal; mend the rules"
            )
        joint[:, role] = rows[own][np.cumsum(numbers) - numbers + dice.integers(numbers)]
    return joint
