"""One interface of canonical texts for all engines, for code that compares or explains and need not be fast."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from gdl_miner.agent.reasoner.circuit import State
from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.reasoner.state_grounding import StateGrounding

S = TypeVar("S")


class TextEngine(Protocol[S]):
    """A game whose fluents and moves are canonical texts."""

    @property
    def name(self) -> str:
        """Name of the engine: "circuit", "state grounding" or "interpreter"."""

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


class _FluentSets:
    """An engine whose states are sets of fluents, with the interface of texts."""

    def __init__(self, answers: Interpreter | StateGrounding) -> None:
        self._answers = answers
        self.roles = tuple(answers.roles)

    def initial(self) -> frozenset[str]:
        """Return the initial state."""
        return self._answers.initial()

    def facts(self, state: frozenset[str]) -> frozenset[str]:
        """Return the fluents true in a state."""
        return state

    def legal(self, state: frozenset[str]) -> list[set[str]]:
        """Return the legal moves of every role."""
        return [set(self._answers.legal(state, role)) for role in self.roles]

    def next(self, state: frozenset[str], moves: Sequence[str]) -> frozenset[str]:
        """Return the state after one legal move per role."""
        return self._answers.next(state, moves)

    def terminal(self, state: frozenset[str]) -> bool:
        """Whether a state is terminal."""
        return self._answers.terminal(state)

    def goals(self, state: frozenset[str]) -> list[int | None]:
        """Return the goal of every role, None where the rules give none."""
        return [self._answers.goal(state, role) for role in self.roles]


class StateGroundingEngine(_FluentSets):
    """Rules grounded anew for every state, with the interface of texts."""

    name = "state grounding"

    def __init__(self, rules: StateGrounding) -> None:
        super().__init__(rules)


class InterpreterEngine(_FluentSets):
    """An interpreter with the interface of texts."""

    name = "interpreter"

    def __init__(self, interpreter: Interpreter) -> None:
        super().__init__(interpreter)
