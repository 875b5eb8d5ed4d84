"""Symmetries of a game: other names for its facts, moves and roles under which the rules stay the same.

Candidates come from the board: its reflections and rotations, with pieces and roles exchanged. A candidate is accepted
if it maps the moves of many states that random play reaches to the moves of their images.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.geometry.geometry import NOWHERE
from gdl_miner.agent.geometry.symmetry import Symmetry, SymmetryGroup, candidate_symmetries
from gdl_miner.agent.reasoner.circuit import State
from gdl_miner.agent.reasoner.sample import random_match

if TYPE_CHECKING:
    from gdl_miner.agent.reasoner.machine import Machine

_STATES = 60
_COMPARED = 8  # joint moves of a state that are compared with their images, about
_MOST_MOVES = 400  # joint moves of a state up to which its moves are compared
_FOUND: WeakKeyDictionary[Machine, tuple[Symmetry, ...]] = WeakKeyDictionary()
_FOUND_OF_MOVES: WeakKeyDictionary[Machine, tuple[Symmetry, ...]] = WeakKeyDictionary()


def find_symmetries(machine: Machine) -> tuple[Symmetry, ...]:
    """Return the symmetries of a game that candidates from its board show, the identity first.

    They are found once per machine.
    """
    if machine not in _FOUND:
        _FOUND[machine] = _find(machine)
    return _FOUND[machine]


def _find(machine: Machine) -> tuple[Symmetry, ...]:
    states = _random_states(machine)
    return _accepted(candidate_symmetries(machine), lambda each: each.is_identity or _holds(each, machine, states))


def find_symmetries_of_moves(machine: Machine) -> tuple[Symmetry, ...]:
    """Return the symmetries under which every move has an image that does with images what the move does.

    The identity comes first. They are found once per machine.
    """
    if machine not in _FOUND_OF_MOVES:
        _FOUND_OF_MOVES[machine] = _find_of_moves(machine)
    return _FOUND_OF_MOVES[machine]


def _find_of_moves(machine: Machine) -> tuple[Symmetry, ...]:
    states = _random_states(machine)
    found = [each for each in find_symmetries(machine) if (each.moves != NOWHERE).all()]
    return _accepted(found, lambda each: _moves_hold(each, machine, states))


def _accepted(candidates: Iterable[Symmetry], holds: Callable[[Symmetry], bool]) -> tuple[Symmetry, ...]:
    """Return the candidates that hold, without a check of those that accepted ones make, one after another."""
    accepted: list[Symmetry] = []
    made = SymmetryGroup()
    for each in candidates:
        if each in made or holds(each):
            made.add(each)
            accepted.append(each)
    return tuple(accepted)


def _random_states(machine: Machine) -> list[State]:
    """Collect states from the beginnings of random matches, spread over their length."""
    dice, states = random.Random(0), list[State]()
    while len(states) < _STATES:
        match = random_match(machine, dice)
        states += [*dice.sample(match, min(len(match), 10)), match[-1]]
    return states


def _holds(symmetry: Symmetry, machine: Machine, states: Sequence[State]) -> bool:
    return all(_holds_at(symmetry, machine, state) for state in states)


def _holds_at(symmetry: Symmetry, machine: Machine, state: State) -> bool:
    image = symmetry.image(state)
    if machine.terminal(state) != machine.terminal(image):
        return False
    goals, image_goals = machine.goals(state), machine.goals(image)
    if any(goals[role] != image_goals[other] for role, other in enumerate(symmetry.roles)):
        return False
    if machine.terminal(state):
        return True
    legal, image_legal = machine.legal(state), machine.legal(image)
    if any(len(legal[role]) != len(image_legal[other]) for role, other in enumerate(symmetry.roles)):
        return False
    if np.prod([len(rows) for rows in legal], dtype=float) > _MOST_MOVES:
        return True
    after = {symmetry.image(machine.next(state, joint)).tobytes() for joint in itertools.product(*legal)}
    return after == {machine.next(image, joint).tobytes() for joint in itertools.product(*image_legal)}


def _moves_hold(symmetry: Symmetry, machine: Machine, states: Sequence[State]) -> bool:
    """Whether legal moves have legal images, and a few joint moves lead to images of the same states."""
    return all(_moves_hold_at(symmetry, machine, state) for state in states if not machine.terminal(state))


def _moves_hold_at(symmetry: Symmetry, machine: Machine, state: State) -> bool:
    image, legal = symmetry.image(state), machine.legal(state)
    image_legal = machine.legal(image)
    for role, rows in enumerate(legal):
        if set(symmetry.moves[rows].tolist()) != set(image_legal[symmetry.roles[role]].tolist()):
            return False
    n_joint = math.prod(map(len, legal))
    for joint in (_joint_move(legal, number) for number in range(0, n_joint, max(1, n_joint // _COMPARED))):
        images = np.empty(len(joint), np.int32)
        images[list(symmetry.roles)] = symmetry.moves[list(joint)]
        if not np.array_equal(symmetry.image(machine.next(state, joint)), machine.next(image, images.tolist())):
            return False
    return True


def _joint_move(legal: Sequence[NDArray[np.int32]], number: int) -> tuple[int, ...]:
    """Return the joint move with this number in the order of `itertools.product`, of which there may be very many."""
    joint: list[int] = []
    for rows in reversed(legal):
        number, place = divmod(number, len(rows))
        joint.append(int(rows[place]))
    return tuple(reversed(joint))
