"""Random matches: their states, and their transitions (states, the moves made in them and the states after)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.reasoner.circuit import Circuit, State, unpack_states

_MOST = 600  # transitions
_FEWEST = 40
_WORK = 30_000_000  # gates that may be evaluated, so that large games take no longer than a few seconds
_MOST_BITS = 60_000_000  # fluents of all states together
_LONGEST_WALK = 120  # joint moves of a match with transitions
_LONGEST_MATCH = 500  # joint moves of a match of which only the states are asked for
_BRANCHES = 2  # joint moves that are tried in a state


class SampleMachine(Protocol):
    """The part of `_native.Machine` that sampling needs."""

    def initial(self) -> State:
        """Return the initial state."""

    def legal(self, state: State) -> tuple[NDArray[np.int32], ...]:
        """Return the legal rows of each role."""

    def next(self, state: State, joint: list[int]) -> State:
        """Return the state after one legal row of each role."""

    def terminal(self, state: State) -> bool:
        """Return whether the match ends in this state."""


@dataclass(frozen=True, eq=False)
class Transitions:
    """Joint moves of random matches."""

    before: NDArray[np.bool_]  # [transition, fluent]
    after: NDArray[np.bool_]  # [transition, fluent]
    rows: NDArray[np.int32]  # [transition, role] moves made

    def __len__(self) -> int:
        return len(self.rows)


def random_match(machine: SampleMachine, dice: random.Random) -> list[State]:
    """Return the states of a random match: from the initial one to its end, a state without moves, or the 501st."""
    states = [machine.initial()]
    while len(states) <= _LONGEST_MATCH and not machine.terminal(states[-1]):
        legal = machine.legal(states[-1])
        if not all(map(len, legal)):
            break
        states.append(machine.next(states[-1], [int(dice.choice(rows)) for rows in legal]))
    return states


def sample_transitions(circuit: Circuit, machine: SampleMachine) -> Transitions:
    """Play random matches from the initial state, always the same ones."""
    dice = random.Random(1)
    wanted = min(_MOST, _WORK // max(1, circuit.n_gates), _MOST_BITS // (2 * max(1, circuit.n_fluents)))
    wanted = max(_FEWEST, wanted)
    before: list[State] = []
    after: list[State] = []
    rows: list[list[int]] = []
    barren = 0  # matches in a row that ended at once
    while len(rows) < wanted and barren < 2:
        state, length = machine.initial(), 0
        while length < _LONGEST_WALK and len(rows) < wanted and not machine.terminal(state):
            legal = machine.legal(state)
            if not all(map(len, legal)):
                break
            for branch in range(_BRANCHES if any(len(own) > 1 for own in legal) else 1):
                choose = _any_row if branch else _any_form
                joint = [choose(own, circuit.moves, dice) for own in legal]
                following = machine.next(state, joint)
                before.append(state)
                after.append(following)
                rows.append(joint)
            state, length = following, length + 1
        barren = barren + 1 if length == 0 else 0
    words = circuit.state_words
    return Transitions(
        before=unpack_states(np.array(before, np.uint64).reshape(-1, words), circuit.n_fluents),
        after=unpack_states(np.array(after, np.uint64).reshape(-1, words), circuit.n_fluents),
        rows=np.array(rows, np.int32).reshape(-1, circuit.n_roles),
    )


def _any_row(legal: NDArray[np.int32], _moves: Sequence[str], dice: random.Random) -> int:
    return int(legal[dice.randrange(len(legal))])


def _any_form(legal: NDArray[np.int32], moves: Sequence[str], dice: random.Random) -> int:
    """Choose among the names of moves, then among the moves of that name, so that rare forms are tried."""
    by_name: dict[str, list[int]] = {}
    for row in legal.tolist():
        by_name.setdefault(moves[row].partition(" ")[0], []).append(row)
    forms = list(by_name.values())
    return dice.choice(dice.choice(forms))
