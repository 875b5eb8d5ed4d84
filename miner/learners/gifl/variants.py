"""Variants of states: the states that a fact is taken away from, many at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.reasoner.circuit import unpack_states
from gdl_miner.agent.reasoner.machine import Machine

ALONE = -1  # replacement of a fact that nothing takes the place of


def holding(state: NDArray[np.uint64], n_fluents: int) -> NDArray[np.int32]:
    """Return the fluents that hold in a packed state, ascending."""
    return np.flatnonzero(unpack_states(state, n_fluents)).astype(np.int32)


class Variants:
    """Makes variants of the states of a game and asks about them.

    In a game whose states have different numbers of facts, a fact is removed. Where all states have as many facts, the
    fact of the initial state that excludes it takes its place, such as the empty cell that of a piece; a fact that no
    initial fact excludes is removed there, too (Kirci 2010, chapter 4, which leaves open which fact takes the place).
    """

    def __init__(self, machine: Machine, *, replaces: bool) -> None:
        self.machine = machine
        self.n_fluents = len(machine.fluents)
        self.asked = 0  # number of states asked about
        self._batch = _native.StateBatch(machine.native)
        # Facts that change whatever is played, such as the turn: a legal move implies them, or no move can bring them.
        self.autonomous: NDArray[np.bool_] = _native.autonomous_fluents(machine.native).astype(np.bool_)
        self.replacement = np.full(self.n_fluents, ALONE, np.int32)  # [fact] the fact that takes its place
        if replaces:
            self._find_replacements()

    def _find_replacements(self) -> None:
        initial = set(holding(self.machine.initial(), self.n_fluents).tolist())
        for pair in sorted(_native.exclusive_fluents(self.machine.native)):
            for fact, other in (pair, pair[::-1]):
                if other in initial and self.replacement[fact] == ALONE:
                    self.replacement[fact] = other

    def facts(self, state: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the facts of a state that may be taken away, ascending."""
        found = holding(state, self.n_fluents)
        return found[~self.autonomous[found]]

    def without(self, state: NDArray[np.uint64], facts: NDArray[np.int32]) -> NDArray[np.uint64]:
        """Return [fact, word] the variants of a state without each of these facts."""
        variants = np.repeat(np.asarray(state, np.uint64)[None, :], len(facts), axis=0)
        one, places = np.uint64(1), np.arange(len(facts))
        variants[places, facts // 64] &= ~(one << (facts % 64).astype(np.uint64))
        others = self.replacement[facts]
        replaced = np.flatnonzero(others != ALONE)
        others = others[replaced]
        variants[replaced, others // 64] |= one << (others % 64).astype(np.uint64)
        return variants

    def only(self, facts: tuple[int, ...], state: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return [1, word] the state of these facts and of those of `state` that change whatever is played."""
        kept = holding(state, self.n_fluents)
        return self.mask((*facts, *kept[self.autonomous[kept]].tolist()))[None, :]

    def mask(self, facts: tuple[int, ...]) -> NDArray[np.uint64]:
        """Return [word] the packed state of these facts."""
        mask = np.zeros(self.machine.circuit.state_words, np.uint64)
        for fact in facts:
            mask[fact // 64] |= np.uint64(1 << fact % 64)
        return mask

    def include(self, states: NDArray[np.uint64], facts: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return [n] whether all these facts hold in each state."""
        mask = self.mask(facts)
        included: NDArray[np.bool_] = ((states & mask) == mask).all(axis=1)
        return included

    def terminal(self, states: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return [n] whether each state is terminal."""
        self.asked += len(states)
        return self._batch.terminal(states).astype(np.bool_)

    def legal_rows(self, states: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the legal rows of all roles: [n + 1] offsets into rows."""
        return self._batch.legal(states)

    def allow(self, states: NDArray[np.uint64], rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return [n] whether a row is legal in each state; `rows` has one row for each."""
        start, legal = self._batch.legal(states)
        owner = np.repeat(np.arange(len(states)), np.diff(start))
        allowed = np.zeros(len(states), np.bool_)
        allowed[owner[legal == rows[owner]]] = True
        return allowed

    def after(self, states: NDArray[np.uint64], joints: NDArray[np.int32]) -> NDArray[np.uint64]:
        """Return [n, word] the states after joint moves, [n, role]."""
        return self._batch.next(states, joints)

    def won(self, states: NDArray[np.uint64], role: int) -> NDArray[np.bool_]:
        """Return [n] whether each state is terminal and gives the role more than the other role of two."""
        goals = self._batch.goals(states)
        won: NDArray[np.bool_] = self._batch.terminal(states).astype(np.bool_) & (goals[:, role] > goals[:, 1 - role])
        return won

    def lead(
        self, states: NDArray[np.uint64], role: int, joints: NDArray[np.int32], facts: tuple[int, ...] | None
    ) -> NDArray[np.bool_]:
        """Return [n] whether the role's part of a joint move is legal in each state and leads to all these facts.

        Without facts it is to win the game.
        """
        self.asked += len(states)
        legal, after = self.allow(states, joints[:, role]), self.after(states, joints)
        return legal & (self.won(after, role) if facts is None else self.include(after, facts))
