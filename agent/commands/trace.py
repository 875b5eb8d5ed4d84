"""`agent trace`: hold a recorded trace against our engines."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.commands.options import DEFAULT_BUDGET, BudgetSeconds, Game, report_progress
from agent.errors import BudgetError
from agent.gdl.rules import RuleSheet, read_sheet
from agent.reasoner.engines import CircuitEngine, InterpreterEngine, TextEngine
from agent.reasoner.interpreter import Interpreter
from agent.reasoner.machine import load_machine
from agent.reasoner.trace import check_traces, read_traces


class EngineChoice(StrEnum):
    """Which engine to compare."""

    auto = "auto"
    circuit = "circuit"
    interpreter = "interpreter"


def trace(
    game: Game,
    check: Annotated[Path, typer.Option(help="The trace: JSON lines, one playout each.", show_default=False)],
    engine: Annotated[EngineChoice, typer.Option(help="auto: the circuit, else the interpreter.")] = EngineChoice.auto,
    budget: BudgetSeconds = DEFAULT_BUDGET,
) -> None:
    """Check that every step of recorded playouts agrees; otherwise show the first difference and exit with 1."""
    sheet = read_sheet(game)
    playouts = list(read_traces(check))
    chosen = _engine(sheet, engine, budget)
    agreement = check_traces(chosen, playouts)
    if agreement.difference is not None:
        print(f"{sheet.name}: {chosen.name} differs: {agreement.difference}")
        raise typer.Exit(1)
    print(f"{sheet.name}: {chosen.name} agrees on {agreement.playouts} playouts, {agreement.states} states")


def _engine(sheet: RuleSheet, choice: EngineChoice, budget: float) -> TextEngine[Any]:
    if choice is not EngineChoice.interpreter:
        try:
            return CircuitEngine(load_machine(sheet, budget_s=budget, progress=report_progress))
        except BudgetError as error:
            if choice is EngineChoice.circuit:
                raise
            report_progress(f"{error}; using the interpreter")
    return InterpreterEngine(Interpreter(sheet))
