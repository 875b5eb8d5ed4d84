"""The compiled game: a Boolean circuit over fluents and move sets, as arrays.

This is the versioned interface between Python, which prepares a game, and C++, which runs it. `circuit/circuit.hpp` of
the native module mirrors it, and `_native.check_circuit` checks every invariant that the kernels rely on. A literal is
``2 * slot + complement``; slot 0 is the constant TRUE, then come the fluents, the move sets and the gates. A gate is
the AND of its literals, so an OR is a complemented AND.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.gdl.keywords import CHANCE_ROLE

FORMAT_VERSION = 1
ALWAYS = 0  # the literal that always holds

State = NDArray[np.uint64]  # [state_words]; fluent f is bit f % 64 of word f // 64; read-only
Literals = NDArray[np.uint32]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Circuit:
    """A game as a circuit. Rows are global: role r owns rows ``move_start[r] .. move_start[r + 1]``.

    A move set is true when the move chosen by its role is among its rows; every role makes exactly one move per step.
    Gates before `n_state_gates` depend on the state alone (phase A), the others depend on the moves too (phase B). The
    gates of a loop start at the values in `loop_initial` and are evaluated in order, again and again, until none
    changes; the result is the least fixpoint of positive recursion.
    """

    version: int  # FORMAT_VERSION
    rules_digest: str  # digest of the rule sheet
    roles: tuple[str, ...]  # in the order of the sheet
    fluents: tuple[str, ...]  # sorted
    moves: tuple[str, ...]  # [row]; sorted within each role
    move_start: Ints  # [n_roles + 1]
    set_start: Ints  # [n_sets + 1] into set_rows
    set_rows: Ints  # rows of one role, ascending
    gate_start: Ints  # [n_gates + 1] into gate_literals
    gate_literals: Literals
    n_state_gates: int
    loops: Ints  # [n_loops, 2] first gate and the gate after the last; disjoint, ascending
    loop_initial: Bytes  # [n_gates]
    legal: Literals  # [n_rows]
    terminal: int  # a literal
    goal_role: Ints  # [n_goals]
    goal_value: Ints  # [n_goals] 0..100; if several goals of a role hold, the first here (the largest) counts
    goal_literal: Literals  # [n_goals]
    next: Literals  # [n_fluents]
    initial: Bytes  # [n_fluents]
    never: tuple[str, ...] = ()  # fluents that the rules name and no match reaches; they are none of the circuit's
    grounding_s: float = 0.0
    compile_s: float = 0.0

    @property
    def n_fluents(self) -> int:
        """Number of fluents."""
        return len(self.fluents)

    @property
    def n_roles(self) -> int:
        """Number of roles."""
        return len(self.roles)

    @property
    def chance_role(self) -> int:
        """The role that moves at random; the number of roles if there is none."""
        return self.roles.index(CHANCE_ROLE) if CHANCE_ROLE in self.roles else self.n_roles

    @property
    def choosing_roles(self) -> tuple[int, ...]:
        """The roles that choose their moves: all but the one that moves at random."""
        return tuple(role for role in range(self.n_roles) if role != self.chance_role)

    @property
    def n_rows(self) -> int:
        """Number of moves of all roles together."""
        return len(self.moves)

    @property
    def n_sets(self) -> int:
        """Number of move sets."""
        return len(self.set_start) - 1

    @property
    def n_gates(self) -> int:
        """Number of gates."""
        return len(self.gate_start) - 1

    @property
    def n_literals(self) -> int:
        """Number of literals of all gates together."""
        return len(self.gate_literals)

    @property
    def first_set_slot(self) -> int:
        """Slot of move set 0."""
        return 1 + self.n_fluents

    @property
    def first_gate_slot(self) -> int:
        """Slot of gate 0."""
        return self.first_set_slot + self.n_sets

    @property
    def state_words(self) -> int:
        """64-bit words of a packed state: fluent f is bit f % 64 of word f // 64."""
        return (self.n_fluents + 63) // 64

    @cached_property
    def _groups(self) -> tuple[Ints, Ints]:
        return fluent_groups(self.fluents)

    @property
    def group_start(self) -> Ints:
        """Offsets into `group_fluents`."""
        return self._groups[0]

    @property
    def group_fluents(self) -> Ints:
        """Members of the groups; the names of a group suggest that at most one of its fluents holds at a time."""
        return self._groups[1]

    def rows(self, role: int) -> range:
        """Global rows of a role."""
        return range(int(self.move_start[role]), int(self.move_start[role + 1]))


Ints = NDArray[np.int32]


def fluent_groups(fluents: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the offsets and the members of groups of fluents with the same relation and leading arguments.

    There are groups for every number of leading arguments. Probably at most one fluent of a group holds; the native
    module proves this of the groups that it uses (`agent/native/program/mutual_exclusion.hpp`).

    Fluents are canonical texts, and members are their numbers. Groups of one fluent are left out.
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, fluent in enumerate(fluents):
        words = _words(fluent)
        for leading in range(1, len(words)):
            groups.setdefault(tuple(words[:leading]), []).append(number)
    several = [members for _, members in sorted(groups.items()) if len(members) > 1]
    start = np.fromiter(accumulate(map(len, several), initial=0), np.int32)
    return start, np.fromiter((number for members in several for number in members), np.int32)


def _words(term: str) -> list[str]:
    """Return the functor and the arguments of a canonical term."""
    if not term.startswith("("):
        return [term]
    words: list[str] = []
    depth, begin = 0, 1
    for place, character in enumerate(term):
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        if (character == " " and depth == 1) or depth == 0:
            words.append(term[begin:place])
            begin = place + 1
    return words


def unpack_states(states: NDArray[np.uint64], n_fluents: int) -> NDArray[np.bool_]:
    """Return [.., fluent] which fluents hold in packed states [.., word]."""
    octets = np.ascontiguousarray(states, dtype="<u8").view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little", count=n_fluents).view(np.bool_)


def pack_states(holds: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return packed states [.., word] of the fluents that hold, [.., fluent]."""
    padded = np.zeros((*holds.shape[:-1], -(-holds.shape[-1] // 64) * 64), np.bool_)
    padded[..., : holds.shape[-1]] = holds
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64)
