"""The choice of a game's engine: the circuit, else the faster of state grounding and interpreter."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gdl_miner.agent.errors import BudgetError
from gdl_miner.agent.gdl.check import require_playable
from gdl_miner.agent.gdl.rules import RuleSheet, read_sheet
from gdl_miner.agent.reasoner.budget import DEFAULT_MEMORY_MIB, DEFAULT_SECONDS, Budget, Clock, Progress
from gdl_miner.agent.reasoner.engines import CircuitEngine, InterpreterEngine, StateGroundingEngine, TextEngine
from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.reasoner.random_walks import random_walks
from gdl_miner.agent.reasoner.state_grounding import StateGrounding

FIRST_STEP_SECONDS = 10.0  # time limit for the first step of an engine that may be chosen
TRIAL_SECONDS = 0.5  # length of the random playouts that show which fallback is faster


class EngineKind(StrEnum):
    """The kinds of engine that a user may request; `auto` is the circuit if possible, else the faster fallback."""

    auto = "auto"
    circuit = "circuit"
    state_grounding = "state-grounding"
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
    """Return the requested engine, by default the fastest one that can prepare a game within the budget.

    If the whole game exceeds the budget, the rules are grounded for one state at a time, or interpreted.

    Raises:
        RuleError: the rules are faulty.
        BudgetError: no engine makes a step in reasonable time.
    """
    sheet = game if isinstance(game, RuleSheet) else read_sheet(game)
    if kind in (EngineKind.state_grounding, EngineKind.interpreter):
        require_playable(sheet)
        make = _state_grounding if kind is EngineKind.state_grounding else _interpreter
        return Chosen(sheet, make(sheet, memory_mib), "it was asked for", None)
    try:
        machine = load_machine(sheet, budget_s=budget_s, memory_mib=memory_mib, progress=progress)
        return Chosen(sheet, CircuitEngine(machine), f"the rules ground and compile within {budget_s:g} s", machine)
    except BudgetError as error:
        if kind is EngineKind.circuit:
            raise
        why = str(error)
    return fallback(sheet, why, memory_mib=memory_mib)


def fallback(sheet: RuleSheet, why: str, *, memory_mib: int = DEFAULT_MEMORY_MIB) -> Chosen:
    """Return the faster fallback for a game that has no circuit for the reason `why`.

    Both fallbacks give the same answers; short random playouts show which one is faster.

    Raises:
        BudgetError: neither makes a step in reasonable time.
    """
    require_playable(sheet)
    speeds: list[tuple[float, TextEngine[Any]]] = []
    for make in (_interpreter, _state_grounding):
        try:
            candidate: TextEngine[Any] = make(sheet, memory_mib)
            speeds.append((states_per_second(candidate, TRIAL_SECONDS), candidate))
        except BudgetError:
            continue
    if not speeds:
        raise BudgetError(f"{why}; no other engine makes a step of it within {FIRST_STEP_SECONDS:g} s either")
    _, engine = max(speeds, key=lambda found: found[0])
    return Chosen(sheet, engine, why, None)


def _interpreter(sheet: RuleSheet, memory_mib: int) -> InterpreterEngine:
    clock = Clock(sheet.name, Budget(FIRST_STEP_SECONDS, memory_mib))
    states_per_second(InterpreterEngine(Interpreter(sheet, lambda: clock.check("interpreting"))), 0)
    return InterpreterEngine(Interpreter(sheet))


def _state_grounding(sheet: RuleSheet, memory_mib: int) -> StateGroundingEngine:
    rules = StateGrounding(sheet)
    rules.try_out(Clock(sheet.name, Budget(FIRST_STEP_SECONDS, memory_mib)))
    return StateGroundingEngine(rules)


def states_per_second(engine: TextEngine[Any], seconds: float) -> float:
    """Return how many states an engine expands per second in random playouts.

    Expanding a state means finding its legal moves, drawing a joint move and computing the next state.
    """
    totals = random_walks(engine, seconds)
    return totals.states / totals.seconds
