"""The compiled game: a Boolean circuit over fluents and move sets, as arrays.

This is the versioned hand-over between Python (which decides) and C++ (which repeats); the native module's
`circuit/circuit.hpp` mirrors it field by field. A literal is ``2 * slot + complement``; slot 0 is the constant TRUE,
then come the fluents, the move sets and the gates. A gate is the AND of its literals, so OR is a complemented AND.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.reasoner.fluent_groups import fluent_groups

FORMAT_VERSION = 1

TRUE = 0
FALSE = 1

Ints = NDArray[np.int32]
Literals = NDArray[np.uint32]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Circuit:
    """A game as a circuit. Rows are global: role r owns rows ``move_start[r] .. move_start[r + 1]``.

    A set of moves is true when the move chosen by its role is among its rows; every role makes exactly one move a step.
    Gates before `n_state_gates` depend on the state alone (phase A), the others on the moves too (phase B). The gates
    of a loop start at `loop_initial` and are evaluated in order, again and again, until none changes: the least
    fixpoint of positive recursion.
    """

    version: int  # FORMAT_VERSION
    rules_digest: str  # of the rule sheet
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
    goal_value: Ints  # [n_goals] 0..100; of several that hold, the first here (the largest) counts
    goal_literal: Literals  # [n_goals]
    next: Literals  # [n_fluents]
    initial: Bytes  # [n_fluents]
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
        """Fluents of groups of which perhaps at most one holds at a time, as their names suggest."""
        return self._groups[1]

    def rows(self, role: int) -> range:
        """Global rows of a role."""
        return range(int(self.move_start[role]), int(self.move_start[role + 1]))

    def validate(self) -> None:
        """Check every invariant the kernels rely on. Raises ValueError naming the first one that is broken."""
        if self.version != FORMAT_VERSION:
            raise ValueError(f"circuit format {self.version}, expected {FORMAT_VERSION}; rebuild it from the rules")
        self._validate_shapes()
        self._validate_sets()
        self._validate_gates()
        _check_literals("next", self.next, self.first_gate_slot + self.n_gates)
        terminal = np.asarray([self.terminal], np.uint32)
        for what, literals in (("legal", self.legal), ("terminal", terminal), ("goal_literal", self.goal_literal)):
            _check_literals(what, literals, self.first_gate_slot + self.n_state_gates)
            if self._any_set(literals >> 1):
                raise ValueError(f"{what} depends on the moves of the step")

    def _validate_shapes(self) -> None:
        expected: dict[str, tuple[NDArray[Any], type, int]] = {
            "move_start": (self.move_start, np.int32, self.n_roles + 1),
            "set_start": (self.set_start, np.int32, max(1, len(self.set_start))),
            "set_rows": (self.set_rows, np.int32, int(self.set_start[-1])),
            "gate_start": (self.gate_start, np.int32, max(1, len(self.gate_start))),
            "gate_literals": (self.gate_literals, np.uint32, int(self.gate_start[-1])),
            "loop_initial": (self.loop_initial, np.uint8, self.n_gates),
            "legal": (self.legal, np.uint32, self.n_rows),
            "goal_role": (self.goal_role, np.int32, len(self.goal_value)),
            "goal_value": (self.goal_value, np.int32, len(self.goal_value)),
            "goal_literal": (self.goal_literal, np.uint32, len(self.goal_value)),
            "next": (self.next, np.uint32, self.n_fluents),
            "initial": (self.initial, np.uint8, self.n_fluents),
        }
        for what, (array, kind, length) in expected.items():
            if array.dtype != kind or array.shape != (length,):
                raise ValueError(f"{what} is {array.dtype}{list(array.shape)}, expected {np.dtype(kind)}[{length}]")
        if self.loops.dtype != np.int32 or self.loops.ndim != 2 or self.loops.shape[1] != 2:
            raise ValueError(f"loops is {self.loops.dtype}{list(self.loops.shape)}, expected int32[n_loops, 2]")
        starts = {"move_start": self.move_start, "set_start": self.set_start, "gate_start": self.gate_start}
        for what, start in starts.items():
            if start[0] != 0 or np.any(np.diff(start) < 0):
                raise ValueError(f"{what} does not ascend from 0")
        if int(self.move_start[-1]) != self.n_rows:
            raise ValueError(f"move_start ends at {self.move_start[-1]}, expected the number of rows, {self.n_rows}")
        if not 0 <= self.n_state_gates <= self.n_gates:
            raise ValueError(f"n_state_gates is {self.n_state_gates}, expected 0..{self.n_gates}")
        if np.any(self.initial > 1) or np.any(self.loop_initial > 1):
            raise ValueError("initial and loop_initial hold 0 and 1 only")
        if np.any((self.goal_role < 0) | (self.goal_role >= self.n_roles)):
            raise ValueError(f"goal_role outside 0..{self.n_roles - 1}")
        if np.any((self.goal_value < 0) | (self.goal_value > 100)):
            raise ValueError("goal_value outside 0..100")

    def _validate_sets(self) -> None:
        if np.any((self.set_rows < 0) | (self.set_rows >= self.n_rows)):
            raise ValueError(f"set_rows outside 0..{self.n_rows - 1}")
        owner = np.searchsorted(self.move_start, self.set_rows, side="right")
        for first, last in pairwise(self.set_start.tolist()):
            rows = self.set_rows[first:last]
            if first == last or np.any(np.diff(rows) <= 0) or owner[first] != owner[last - 1]:
                raise ValueError("a move set is not a non-empty ascending list of rows of one role")

    def _validate_gates(self) -> None:
        if np.any(np.diff(self.gate_start) < 1):
            raise ValueError("a gate without literals")
        gates = np.arange(self.n_gates)
        end = gates + self.first_gate_slot  # [gate] slots below this one are evaluated before the gate
        previous = 0
        for first, last in self.loops.tolist():
            if not previous <= first < last <= self.n_gates:
                raise ValueError("loops are not disjoint, ascending runs of gates")
            if first < self.n_state_gates < last:
                raise ValueError("a loop spans both phases")
            end[first:last] = last + self.first_gate_slot
            previous = last
        slots = self.gate_literals >> 1
        limit = np.repeat(end, np.diff(self.gate_start))
        if np.any(slots >= limit):
            raise ValueError("a gate depends on a later gate outside its loop")
        state_slots = slots[: self.gate_start[self.n_state_gates]]
        if self._any_set(state_slots):
            raise ValueError("a gate of phase A depends on a move set")

    def _any_set(self, slots: NDArray[Any]) -> bool:
        return bool(np.any((slots >= self.first_set_slot) & (slots < self.first_gate_slot)))


def _check_literals(what: str, literals: Literals, end_slot: int) -> None:
    if np.any((literals >> 1) >= end_slot):
        raise ValueError(f"{what} holds a literal beyond slot {end_slot - 1}")
