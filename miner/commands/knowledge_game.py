"""The game of a knowledge file: a given one, that of its run, or the one that the file names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.commands.options import GAME_HELP
from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import RuleSheet, read_sheet
from gdl_miner.agent.knowledge import Knowledge, read_knowledge
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.miner.results.store import RULES

_ABOVE = 3  # folders above a knowledge file that may be that of its run

KnowledgeGame = Annotated[
    str | None,
    typer.Option(help=GAME_HELP, show_default="the rules in the run's folder, or what the file names"),
]


def load(path: Path, game: str | None) -> tuple[Knowledge, Machine]:
    """Read a knowledge file and load its game: a given one, that of its run's folder, or the bundled one that it names.

    Raises KnowledgeError where the file names no game that can be found.
    """
    sheet = read_sheet(game) if game is not None else _sheet_of(path, read_knowledge(path))
    machine = load_machine(sheet)
    return read_knowledge(path, machine.sheet), machine


def _sheet_of(path: Path, known: Knowledge) -> RuleSheet:
    copy = next((folder / RULES for folder in path.resolve().parents[:_ABOVE] if (folder / RULES).is_file()), None)
    if copy is not None:
        sheet = replace(read_sheet(copy), name=Path(known.game).name or RULES)
        if known.digest in ("", sheet.digest):
            return sheet
    if known.game in bundled() or Path(known.game).is_file():
        return read_sheet(known.game)
    what = "it does not say which game it is about"
    if known.game:
        what = f"it belongs to {known.game}, which is no bundled game"
    beside = f", and {copy} has other rules" if copy is not None else ""
    raise KnowledgeError(f"{path}: {what}{beside}; name the rule sheet with --game")
