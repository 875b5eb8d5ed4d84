"""Options that several commands share, and where their progress goes."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from agent.reasoner.budget import DEFAULT_SECONDS

GAME_HELP = "A bundled game (amazons.ext) or the path of a .kif file."

Game = Annotated[str, typer.Option("--game", "-g", help=GAME_HELP, show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")]
BudgetSeconds = Annotated[
    float, typer.Option("--budget", min=0.1, help="Seconds that grounding and compiling the rules may take.")
]
DEFAULT_BUDGET = DEFAULT_SECONDS


def report_progress(text: str) -> None:
    """Print a line of progress on standard error."""
    print(text, file=sys.stderr, flush=True)
