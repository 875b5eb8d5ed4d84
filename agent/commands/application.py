"""The typer application of a program."""

from __future__ import annotations

import typer

__all__ = ["application"]


def application(name: str, teaches: str) -> typer.Typer:
    """One without commands yet; called without a command it prints its help, and errors are shown by `run_program`."""
    return typer.Typer(
        name=name,
        help=teaches,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
