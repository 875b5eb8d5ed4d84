"""Pages that the code describes itself: command lines, as typer has it, and the library, from its docstrings."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import griffe
from typer.cli import get_docs_for_click
from typer.main import get_command

import gdl_miner

_BOLD = re.compile(r"\[b\](.+?)\[/b\]", re.S)  # words of command lines, in the markup of typer's help
_RANGE = re.compile(r"([\d.]+)<=x<=([\d.]+)")
_SPACE = re.compile(r"\s+")
_SHAPE = re.compile(r"(?<![`\w\]])(\[[\w, +*]+\])+(?![`(\w])")
_LIBRARY = """# Library reference

What `import gdl_miner` offers, by name. [The library](../library.md) introduces it.
"""
_EXAMPLES = re.compile(r"^\[b\]Examples\[/b\]\n\n((?:  .*\n\n?)+)", re.M)


def command_page(program: str, module: str) -> str:
    """Return the page of the typer application `app` of a module: its commands, options, ranges and examples."""
    command = get_command(import_module(module).app)
    _tell_whole(command)
    context = command.make_context(program, [], resilient_parsing=True)
    text = get_docs_for_click(obj=command, ctx=context, name=program)
    text = _BOLD.sub(lambda match: f"`{' '.join(match[1].split())}`", _EXAMPLES.sub(_as_block, text))
    return _RANGE.sub(lambda match: f"from {_grouped(match[1])} to {_grouped(match[2])}", text)


def library_page() -> str:
    """Return the page with a part for each public name, which mkdocstrings fills."""
    parts = [_LIBRARY]
    for name in gdl_miner.__all__:
        module = gdl_miner._MODULE_OF[name]  # by this table the package itself finds its names
        parts.append(f"::: {module}.{name}\n    options:\n      heading: gdl_miner.{name}\n      toc_label: {name}\n")
    return "\n".join(parts)


class Shapes(griffe.Extension):
    """Makes shapes of arrays in docstrings, such as [game][role], code, because they would be links."""

    def on_object(self, *, obj: griffe.Object, **_rest: Any) -> None:
        """Change the docstring of what was collected."""
        if obj.docstring is not None:
            obj.docstring.value = _SHAPE.sub(r"`\g<0>`", obj.docstring.value)


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
