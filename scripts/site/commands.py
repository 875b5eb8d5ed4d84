"""Pages that describe a command line, as typer itself describes it."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from typer.cli import get_docs_for_click
from typer.main import get_command

_BOLD = re.compile(r"\[b\](.+?)\[/b\]", re.S)  # words of command lines, in the markup of typer's help
_RANGE = re.compile(r"([\d.]+)<=x<=([\d.]+)")
_SPACE = re.compile(r"\s+")
_EXAMPLES = re.compile(r"^\[b\]Examples\[/b\]\n\n((?:  .*\n\n?)+)", re.M)


def command_page(program: str, module: str) -> str:
    """Return the page of the typer application `app` of a module: its commands, options, ranges and examples."""
    command = get_command(import_module(module).app)
    _tell_whole(command)
    context = command.make_context(program, [], resilient_parsing=True)
    text = get_docs_for_click(obj=command, ctx=context, name=program)
    text = _BOLD.sub(lambda match: f"`{' '.join(match[1].split())}`", _EXAMPLES.sub(_as_block, text))
    return _RANGE.sub(lambda match: f"from {_grouped(match[1])} to {_grouped(match[2])}", text)


def _grouped(number: str) -> str:
    """Return a number with its digits in groups of three."""
    return f"{int(number):,}" if number.isdecimal() else number


def _as_block(match: re.Match[str]) -> str:
    """Return the examples of a command as a block of code."""
    lines = [line.strip() for line in match[1].split("\n") if line.strip()]
    return "\n".join(["**Examples**:", "", "```console", *(f"$ {line}" for line in lines), "```", "", ""])


def _tell_whole(group: Any) -> None:
    """Let the list of a group's commands have the whole first paragraph of each, which would be cut."""
    for command in getattr(group, "commands", {}).values():
        command.short_help = _SPACE.sub(" ", command.help.partition("\n\n")[0])
        _tell_whole(command)
