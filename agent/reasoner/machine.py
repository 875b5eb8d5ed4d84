"""The machine of a game: its circuit, run by the native module."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent import _native
from gdl_miner.agent.errors import MoveError, RuleError
from gdl_miner.agent.gdl.board import Board
from gdl_miner.agent.gdl.check import require_playable
from gdl_miner.agent.gdl.rules import RuleSheet, read_sheet
from gdl_miner.agent.limits import LONGEST_MATCH
from gdl_miner.agent.reasoner import cache as circuit_cache
from gdl_miner.agent.reasoner.budget import DEFAULT_MEMORY_MIB, DEFAULT_SECONDS, Budget, Progress
from gdl_miner.agent.reasoner.circuit import ALWAYS, Circuit, State, unpack_states
from gdl_miner.agent.reasoner.discovery import (
    Discovery,
    board_of_discovery,
    discover_boards,
    owners_of_pieces,
)
from gdl_miner.agent.reasoner.prepare import prepare
from gdl_miner.agent.reasoner.sample import sample_transitions


class SettledMoves(NamedTuple):
    """The way in which playouts of a game prefer decisive moves when they are asked to."""

    settled: str  # `off`, `decisive` or `antidecisive`
    reason: str  # why the game has no such moves, or empty
    cost: float  # of a step of playouts, in steps of random ones; if off, the least there might be, 0 for none
    choosing: NDArray[np.uint8]  # [turn, row] whether the role of a legal row may have other legal rows

    @property
    def words(self) -> str:
        """The moves that playouts prefer, with their cost, or the reason why they prefer none."""
        if self.settled != "off":
            return f"{self.settled}; a step costs {self.cost:.2f} of that of a random playout"
        if self.reason:
            return f"off, because {self.reason}"
        return f"off; a step would cost {self.cost:.2f} of that of a random playout"


class Machine:
    """States, legal moves and outcomes of one game. Moves are global rows; names are canonical texts."""

    def __init__(self, sheet: RuleSheet, circuit: Circuit) -> None:
        self.sheet = sheet
        self.circuit = circuit
        self.native = _native.Machine(circuit)

    def share_programs(self, other: Machine) -> bool:
        """Use the programs of another machine if it is of the same game; return whether it is.

        The programs of a large game take many seconds to make. Only one thread at a time may ask the two machines about
        states.
        """
        same = (
            self.sheet.digest == other.sheet.digest
            and self.circuit.fluents == other.circuit.fluents
            and self.circuit.moves == other.circuit.moves
        )
        if same:
            self.native = other.native
        return same

    @cached_property
    def discovery(self) -> Discovery:
        """The boards that the rules show, whether or not the sheet describes one."""
        return discover_boards(self.sheet, self.circuit, self.native)

    @cached_property
    def board(self) -> Board | None:
        """The board that the sheet describes, else the one that the rules show, None if features can use none."""
        return self.sheet.board if self.sheet.board is not None else board_of_discovery(self.discovery)

    @cached_property
    def piece_owners(self) -> dict[str, int]:
        """The role of each piece that belongs to one, as random matches show it."""
        if self.board is None:
            return {}
        return owners_of_pieces(self.board, self.circuit, sample_transitions(self.circuit, self.native))

    @property
    def roles(self) -> tuple[str, ...]:
        """Names of the roles, in the order of the sheet."""
        return self.circuit.roles

    @property
    def fluents(self) -> tuple[str, ...]:
        """Names of the fluents, sorted."""
        return self.circuit.fluents

    @cached_property
    def moves(self) -> tuple[tuple[str, ...], ...]:
        """Names of the moves of each role, sorted."""
        return tuple(tuple(self.circuit.moves[row] for row in self.rows(role)) for role in range(len(self.roles)))

    def rows(self, role: int) -> range:
        """Global rows of a role."""
        return self.circuit.rows(role)

    @cached_property
    def _row_of(self) -> dict[tuple[int, str], int]:
        return {(role, self.circuit.moves[row]): row for role in range(len(self.roles)) for row in self.rows(role)}

    @cached_property
    def _fluent_of(self) -> dict[str, int]:
        return {fluent: index for index, fluent in enumerate(self.fluents)}

    def row(self, role: int, move: str) -> int:
        """Return the global row of a move. Raises ValueError for a move that the role can never make."""
        row = self._row_of.get((role, move))
        if row is None:
            raise ValueError(f"{self.roles[role]} can never make the move {move}")
        return row

    def initial(self) -> State:
        """Return the initial state."""
        return _read_only(self.native.initial())

    def legal(self, state: State) -> tuple[NDArray[np.int32], ...]:
        """Return the legal rows of each role, ascending."""
        return self.native.legal(state)

    def next(self, state: State, joint: Sequence[int]) -> State:
        """Return the state after a joint move, which has one global row per role."""
        return _read_only(self.native.next(state, list(joint)))

    def terminal(self, state: State) -> bool:
        """Whether a state is terminal."""
        return self.native.terminal(state)

    def goals(self, state: State) -> tuple[int | None, ...]:
        """Return the goal of each role, None where the rules give none; the largest goal counts where several hold."""
        return self.native.goals(state)

    def facts(self, state: State) -> list[str]:
        """Return the fluents true in a state, sorted."""
        return [self.fluents[index] for index in np.flatnonzero(unpack_states(state, len(self.fluents)))]

    def state_of(self, facts: Iterable[str]) -> State:
        """Return the state in which exactly these fluents are true. Raises ValueError for an unknown fluent."""
        state = np.zeros(self.circuit.state_words, np.uint64)
        for fact in facts:
            index = self._fluent_of.get(fact)
            if index is None:
                raise ValueError(f"{fact} is no fluent of {self.sheet.name}")
            state[index // 64] |= np.uint64(1 << index % 64)
        return _read_only(state)

    def state_with(self, facts: Iterable[str]) -> State:
        """Return the state in which these fluents are true, and those that are in every state.

        Raises ValueError for an unknown fluent.
        """
        circuit = self.circuit
        always = np.flatnonzero((circuit.next == ALWAYS) & (circuit.initial == 1)).tolist()
        return self.state_of([*facts, *(self.fluents[fluent] for fluent in always)])

    def decisive_moves(self, asked: str) -> SettledMoves:
        """Return what playouts do where the parameter `decisive_moves` is `asked`."""
        return SettledMoves(*_native.decisive_moves(self.native, asked))

    def playouts(
        self,
        seconds: float | None = None,
        count: int | None = None,
        lanes: int = 512,
        seed: int = 0,
        decisive: str = "off",
    ) -> _native.PlayoutTotals:
        """Play random playouts from the initial state, for `seconds` or until `count` are finished.

        They are uniformly random, or prefer `decisive` moves, as the parameter `decisive_moves` says.
        """
        return self.native.playouts(seconds=seconds, count=count, lanes=lanes, seed=seed, decisive=decisive)


def load_machine(
    game: str | RuleSheet,
    *,
    budget_s: float = DEFAULT_SECONDS,
    memory_mib: int = DEFAULT_MEMORY_MIB,
    cache: bool = True,
    progress: Progress | None = None,
) -> Machine:
    """Return the machine of a game, which is given by a bundled name, a path or a sheet.

    `budget_s` and `memory_mib` limit grounding and compiling; `progress` gets messages about work that takes longer
    than 2 s. With `cache`, the circuit is taken from the cache folder and kept there.

    Raises:
        RuleError: the rules are faulty.
        BudgetError: the preparation exceeds the budget.
    """
    sheet = game if isinstance(game, RuleSheet) else read_sheet(game)
    return Machine(sheet, load_circuit(sheet, Budget(budget_s, memory_mib, progress), cache=cache, warn=progress))


def load_circuit(
    sheet: RuleSheet, budget: Budget, *, cache: bool = True, warn: Callable[[str], None] | None = None
) -> Circuit:
    """Return the circuit of a game, with `cache` the one in the cache folder if it is there, else a new one.

    With `cache`, a new circuit is kept in the folder; `warn` gets a message if that fails.

    Raises:
        RuleError: the rules are faulty.
        BudgetError: the preparation exceeds the budget.
    """
    circuit = circuit_cache.load(sheet.digest) if cache else None
    if circuit is not None:
        return circuit
    require_playable(sheet)
    circuit = prepare(sheet, budget)
    if cache:
        try:
            circuit_cache.store(circuit)
        except OSError as error:
            if warn is not None:
                warn(f"cannot keep the circuit in {circuit_cache.cache_folder()}: {error.strerror}")
    return circuit


def illegal_move(machine: Machine, role: int, move: str, rows: NDArray[np.int32]) -> MoveError:
    """Return the error that a role makes a move, in any spelling, where the rows of others are legal."""
    legal = [machine.sheet.display(machine.circuit.moves[row]) for row in rows[:8]]
    shown = ", ".join(legal) + (f" and {len(rows) - 8} more" if len(rows) > 8 else "")
    name = machine.sheet.display(machine.roles[role])
    return MoveError(f"{machine.sheet.name}: {name} cannot play {move[:200]} now; legal: {shown}")


def no_legal_move(machine: Machine, role: int) -> RuleError:
    """Return the error that the rules leave a role without a legal move."""
    return RuleError(
        f"{machine.sheet.source}: {machine.roles[role]} has no legal move in a state that is not terminal; "
        "mend the rules"
    )


def endless(source: str) -> RuleError:
    """Return the error that a match does not come to an end."""
    return RuleError(f"{source}: a match went on for more than {LONGEST_MATCH:,} moves; let the rules end it")


def violation_of(machine: Machine, violation: Exception) -> RuleError:
    """Return the error of rules that native code found to be those of no playable game, with the name of the role."""

    def name(found: re.Match[str]) -> str:
        return machine.sheet.display(machine.roles[int(found[1]) - 1])

    return RuleError(f"{machine.sheet.source}: {re.sub(r'^role ([0-9]+)', name, str(violation))}; mend the rules")


def match_over(machine: Machine, number: int) -> MoveError:
    """Return the error that a move is made after the end of a match of `number` joint moves."""
    return MoveError(f"{machine.sheet.name}: the match is over after move {number}; begin another")


def _read_only(state: State) -> State:
    state.setflags(write=False)
    return state
