"""The typer application of a program."""

from __future__ import annotations

import typer


def application(name: str, teaches: str) -> typer.Typer:
    """Return an application without commands. Called without one it prints its help; `run_program` shows its errors."""
    return typer.Typer(
        name=name,
        help=teaches,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
        rich_markup_mode="rich",
    )
