"""`agent trace`: compare a recorded trace with an engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import (
    DEFAULT_BUDGET,
    DEFAULT_BUDGET_MEMORY,
    BudgetMemory,
    BudgetSeconds,
    Engine,
    Game,
    report_fallback,
    report_progress,
)
from gdl_miner.agent.reasoner.engines import EngineKind, choose_engine
from gdl_miner.agent.reasoner.trace import check_traces, read_traces


def trace(
    game: Game,
    check: Annotated[Path, typer.Option(help="The trace: JSON lines, one playout each.", show_default=False)],
    engine: Engine = EngineKind.auto,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
) -> None:
    """Check that every step of recorded playouts agrees; otherwise show the first difference and exit with 1."""
    playouts = list(read_traces(check))
    chosen = choose_engine(game, budget_s=budget, memory_mib=budget_memory, progress=report_progress, kind=engine)
    report_fallback(chosen)
    agreement = check_traces(chosen.engine, playouts)
    if agreement.difference is not None:
        print(f"{chosen.sheet.name}: {chosen.engine.name} differs: {agreement.difference}")
        raise typer.Exit(1)
    print(
        f"{chosen.sheet.name}: {chosen.engine.name} agrees on {agreement.playouts} playouts, {agreement.states} states"
    )
