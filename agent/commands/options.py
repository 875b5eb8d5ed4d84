"""Options that several commands share, and the lines that report their progress."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from gdl_miner.agent.limits import MAX_MEMORY_MIB, MAX_PLIES, MAX_SECONDS
from gdl_miner.agent.reasoner.budget import DEFAULT_MEMORY_MIB, DEFAULT_SECONDS
from gdl_miner.agent.reasoner.engines import Chosen, EngineKind

GAME_HELP = "A bundled game (amazons.ext) or the path of a .kif file."

Game = Annotated[str, typer.Option("--game", "-g", help=GAME_HELP, show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]
BudgetSeconds = Annotated[
    float,
    typer.Option("--budget", min=0.1, max=MAX_SECONDS, help="Seconds that grounding and compiling the rules may take."),
]
BudgetMemory = Annotated[
    int,
    typer.Option(
        "--budget-memory", min=1, max=MAX_MEMORY_MIB, help="MiB that grounding and compiling the rules may take."
    ),
]
Engine = Annotated[
    EngineKind,
    typer.Option(help="What plays: the circuit, or the slow interpreter for what is too large for it."),
]
ParameterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        help="NAME=VALUE, a parameter in place of the knowledge file's or the default; give it again for more.",
        show_default=False,
    ),
]
OpeningPlies = Annotated[
    int, typer.Option(min=0, max=MAX_PLIES, help="Plies at the start of a pair of matches that are drawn at random.")
]
DEFAULT_BUDGET = DEFAULT_SECONDS
DEFAULT_BUDGET_MEMORY = DEFAULT_MEMORY_MIB


def report_progress(text: str) -> None:
    """Print a line of progress on standard error."""
    print(text, file=sys.stderr, flush=True)


def report_fallback(chosen: Chosen) -> None:
    """Say on standard error that a game has no circuit, and what plays it instead."""
    if chosen.machine is None:
        report_progress(f"{chosen.engine.name}, which is slow, plays {chosen.sheet.name}: {chosen.why}")
