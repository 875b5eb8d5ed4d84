"""Engines that play a game by canonical texts: the circuit, or the interpreter for games too large for a circuit.

They have one interface, for code that compares or explains and need not be fast.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

from gdl_miner.agent.errors import BudgetError
from gdl_miner.agent.gdl.check import require_playable
from gdl_miner.agent.gdl.rules import RuleSheet, read_sheet
from gdl_miner.agent.reasoner.budget import DEFAULT_MEMORY_MIB, DEFAULT_SECONDS, Budget, Clock, Progress
from gdl_miner.agent.reasoner.circuit import State
from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.reasoner.machine import Machine, load_machine

S = TypeVar("S")


class TextEngine(Protocol[S]):
    """A game whose fluents and moves are canonical texts."""

    @property
    def name(self) -> str:
        """Name of the engine: "circuit" or "interpreter"."""

    @property
    def roles(self) -> tuple[str, ...]:
        """Names of the roles, in the order of the sheet."""

    def initial(self) -> S:
        """Return the initial state."""

    def facts(self, state: S) -> Iterable[str]:
        """Return the fluents true in a state."""

    def legal(self, state: S) -> list[set[str]]:
        """Return the legal moves of every role."""

    def next(self, state: S, moves: Sequence[str]) -> S:
        """Return the state after one legal move per role."""

    def terminal(self, state: S) -> bool:
        """Whether a state is terminal."""

    def goals(self, state: S) -> list[int | None]:
        """Return the goal of every role, None where the rules give none."""

    def least_goals(self, state: S) -> list[int | None]:
        """Return the least goal of every role; it differs from that of `goals` where the rules give several at once."""


class CircuitEngine:
    """A machine with the interface of texts."""

    name = "circuit"

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.roles = machine.roles

    def initial(self) -> State:
        """Return the initial state."""
        return self.machine.initial()

    def facts(self, state: State) -> list[str]:
        """Return the fluents true in a state."""
        return self.machine.facts(state)

    def legal(self, state: State) -> list[set[str]]:
        """Return the legal moves of every role."""
        return [{self.machine.circuit.moves[row] for row in rows} for rows in self.machine.legal(state)]

    def next(self, state: State, moves: Sequence[str]) -> State:
        """Return the state after one legal move per role."""
        return self.machine.next(state, [self.machine.row(role, move) for role, move in enumerate(moves)])

    def terminal(self, state: State) -> bool:
        """Whether a state is terminal."""
        return self.machine.terminal(state)

    def goals(self, state: State) -> list[int | None]:
        """Return the goal of every role, None where the rules give none."""
        return list(self.machine.goals(state))

    def least_goals(self, state: State) -> list[int | None]:
        """Return the least goal of every role, None where the rules give none."""
        return list(self._least_first.goals(state))

    @cached_property
    def _least_first(self) -> Machine:
        circuit = self.machine.circuit
        parts = ("goal_role", "goal_value", "goal_literal")  # of several goals that hold, the first counts
        turned = {part: getattr(circuit, part)[::-1].copy() for part in parts}
        return Machine(self.machine.sheet, replace(circuit, **turned))


class InterpreterEngine:
    """An interpreter with the interface of texts; its states are sets of fluents."""

    name = "interpreter"

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self.roles = interpreter.roles

    def initial(self) -> frozenset[str]:
        """Return the initial state."""
        return self._interpreter.initial()

    def facts(self, state: frozenset[str]) -> frozenset[str]:
        """Return the fluents true in a state."""
        return state

    def legal(self, state: frozenset[str]) -> list[set[str]]:
        """Return the legal moves of every role."""
        return [self._interpreter.legal(state, role) for role in self.roles]

    def next(self, state: frozenset[str], moves: Sequence[str]) -> frozenset[str]:
        """Return the state after one legal move per role."""
        return self._interpreter.next(state, moves)

    def terminal(self, state: frozenset[str]) -> bool:
        """Whether a state is terminal."""
        return self._interpreter.terminal(state)

    def goals(self, state: frozenset[str]) -> list[int | None]:
        """Return the goal of every role, None where the rules give none."""
        return [self._interpreter.goal(state, role) for role in self.roles]

    def least_goals(self, state: frozenset[str]) -> list[int | None]:
        """Return the least goal of every role, None where the rules give none."""
        return [min(self._interpreter.goals(state, role), default=None) for role in self.roles]


class WalkTotals(NamedTuple):
    """Totals of random playouts.

    A playout that the clock cuts off, or that lacks a legal move, counts in `states` alone.
    """

    playouts: int  # finished playouts
    states: int  # expanded states: legal moves and a next state for each
    finished_states: int  # expanded states of finished playouts
    goals: tuple[float, ...]  # [role] sum over finished playouts
    seconds: float
    cpu_seconds: float


def random_walks(engine: TextEngine[Any], seconds: float, seed: int = 0) -> WalkTotals:
    """Play playouts from the initial state until `seconds` have passed, at least one step or playout."""
    dice = random.Random(seed)
    started, cpu = time.perf_counter(), time.process_time()
    playouts = states = finished = 0
    goals = [0.0] * len(engine.roles)
    while not (playouts or states) or time.perf_counter() - started < seconds:
        state, length, over = engine.initial(), 0, False
        while length == 0 or time.perf_counter() - started < seconds:
            over = engine.terminal(state)
            legal = [] if over else engine.legal(state)
            if over or not all(legal):
                break
            state = engine.next(state, [dice.choice(sorted(moves)) for moves in legal])
            length += 1
        states += length
        if over:
            playouts, finished = playouts + 1, finished + length
            goals = [total + (goal or 0) for total, goal in zip(goals, engine.goals(state), strict=True)]
        elif length == 0:
            break
    now = time.perf_counter()
    return WalkTotals(playouts, states, finished, tuple(goals), now - started, time.process_time() - cpu)


FIRST_STEP_SECONDS = 10.0  # time limit for the first step of the interpreter


class EngineKind(StrEnum):
    """The kinds of engine that a user may request; `auto` is the circuit if possible, else the interpreter."""

    auto = "auto"
    circuit = "circuit"
    interpreter = "interpreter"


@dataclass(frozen=True)
class Chosen:
    """A chosen engine and the reason for the choice."""

    sheet: RuleSheet
    engine: TextEngine[Any]
    why: str
    machine: Machine | None  # the machine if the engine is the circuit, else None


def choose_engine(
    game: str | RuleSheet,
    *,
    budget_s: float = DEFAULT_SECONDS,
    memory_mib: int = DEFAULT_MEMORY_MIB,
    progress: Progress | None = None,
    kind: EngineKind = EngineKind.auto,
) -> Chosen:
    """Return the requested engine, by default the circuit, or the interpreter if the circuit exceeds the budget.

    Args:
        game: a bundled name, a path or a sheet.
        budget_s: seconds that grounding and compiling may take.
        memory_mib: MiB that grounding and compiling may take, and the first step of the interpreter.
        progress: gets messages about work that takes longer than 2 s.
        kind: the engine that is asked for.

    Raises:
        RuleError: the rules are faulty.
        BudgetError: the circuit was asked for and exceeds the budget, or no engine makes a step in reasonable time.
    """
    sheet = game if isinstance(game, RuleSheet) else read_sheet(game)
    if kind is EngineKind.interpreter:
        require_playable(sheet)
        return Chosen(sheet, _interpreter(sheet, memory_mib), "it was asked for", None)
    try:
        machine = load_machine(sheet, budget_s=budget_s, memory_mib=memory_mib, progress=progress)
        return Chosen(sheet, CircuitEngine(machine), f"the rules ground and compile within {budget_s:g} s", machine)
    except BudgetError as error:
        if kind is EngineKind.circuit:
            raise
        why = str(error)
    return fallback(sheet, why, memory_mib=memory_mib)


def fallback(sheet: RuleSheet, why: str, *, memory_mib: int = DEFAULT_MEMORY_MIB) -> Chosen:
    """Return the interpreter for a game whose rules are playable, but that has no circuit for the reason `why`.

    Raises:
        BudgetError: the interpreter makes no step within FIRST_STEP_SECONDS and `memory_mib`.
    """
    try:
        return Chosen(sheet, _interpreter(sheet, memory_mib), why, None)
    except BudgetError as error:
        step = f"the interpreter makes no step of it within {FIRST_STEP_SECONDS:g} s either"
        raise BudgetError(f"{why}; {step}") from error


def _interpreter(sheet: RuleSheet, memory_mib: int) -> InterpreterEngine:
    """Return an interpreter that has no limits, after it has made a step within limits."""
    clock = Clock(sheet.name, Budget(FIRST_STEP_SECONDS, memory_mib))
    proven = False
    engine = InterpreterEngine(Interpreter(sheet, lambda: None if proven else clock.check("interpreting")))
    states_per_second(engine, 0)
    proven = True
    return engine


def states_per_second(engine: TextEngine[Any], seconds: float) -> float:
    """Return how many states an engine expands per second in random playouts.

    Expanding a state means finding its legal moves, drawing a joint move and computing the next state.
    """
    totals = random_walks(engine, seconds)
    return totals.states / totals.seconds
