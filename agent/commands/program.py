"""What the command line programs share: how they end, how they show examples."""

from __future__ import annotations

import sys

import typer

from agent.errors import UserError

__all__ = ["examples", "run_program"]


def run_program(app: typer.Typer) -> None:
    """Run a command line; a user's mistake prints one line and exits with 2."""
    try:
        app()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def examples(program: str, *lines: str) -> str:
    """The end of a command's help: ways to call it, without the program's name."""
    return "[b]Examples[/b]\n\n" + "\n\n".join(f"  {program} {line}" for line in lines)
