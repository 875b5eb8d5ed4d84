"""`agent format`: a rule sheet in the canonical layout."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.errors import ConfigError, unwritable
from gdl_miner.agent.gdl.formatting import format_sheet
from gdl_miner.agent.gdl.rules import read_text


def format_file(
    file: Annotated[str, typer.Argument(help="A .kif file, or a bundled game.", show_default=False)],
    write: Annotated[bool, typer.Option("--write", "-w", help="Write the file in place.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only exit with 1 if it would change.")] = False,
) -> None:
    """Lay out a rule sheet canonically. Order, comments and spelling stay; the rules mean the same."""
    text, source = read_text(file)
    if write and not Path(file).exists():
        raise ConfigError(f"{file} is a bundled game; --write needs the path of a file")
    if write and "\ufffd" in text:
        raise ConfigError(f"{source}: not UTF-8 text, so --write would lose some of it; save it as UTF-8 first")
    formatted = format_sheet(text, source)
    if check:
        raise typer.Exit(int(formatted != text))
    if not write:
        sys.stdout.write(formatted)
    elif formatted != text:
        _replace(Path(source), formatted)


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all; it keeps its permissions."""
    new = path.resolve().with_name(f"{path.name}.new")
    try:
        new.write_text(text, encoding="utf-8")
        shutil.copymode(path, new)
        new.replace(path.resolve())
    except OSError as error:
        new.unlink(missing_ok=True)
        raise ConfigError(unwritable(path, error, "make its folder writable")) from error
