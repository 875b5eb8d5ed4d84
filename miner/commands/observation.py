"""The common beginning of `miner explain` and `miner prune`: a knowledge file, its game, and matches to observe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from gdl_miner.agent.commands.options import GAME_HELP
from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.gdl import RuleSheet, read_sheet
from gdl_miner.agent.knowledge import Knowledge, read_knowledge
from gdl_miner.agent.limits import MAX_COUNT, MAX_PLAYOUTS
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.record_xml import read_records
from gdl_miner.miner.commands.mine import record_files
from gdl_miner.miner.results.store import RULES
from gdl_miner.miner.usefulness.observations import Effort, Observations, observe_matches, observe_records

_ABOVE = 3  # folders above a knowledge file that may be that of its run

KnowledgeGame = Annotated[
    str | None,
    typer.Option(help=GAME_HELP, show_default="the rules in the run's folder, or what the file names"),
]
RecordFiles = Annotated[
    list[str] | None,
    typer.Option(help="Match records with root visits to measure on; repeatable.", show_default="fresh matches"),
]
OwnMatches = Annotated[
    int, typer.Option(min=2, max=MAX_COUNT, help="Fresh matches in which the knowledge plays itself.")
]
OwnPlayouts = Annotated[
    int,
    typer.Option(
        min=1, max=MAX_PLAYOUTS, help="Playouts per move; a position is judged by ten times as many, without knowledge."
    ),
]
JudgedPositions = Annotated[int, typer.Option(min=10, max=MAX_COUNT, help="Positions of each role that are judged.")]


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


def observe(
    knowledge: Knowledge,
    machine: Machine,
    records: Sequence[str] | None,
    effort: Effort,
    seed: int,
    progress: Progress,
) -> Observations:
    """Observe the knowledge on given records, or on fresh matches without records."""
    task = progress.add_task("reading records" if records else "playing", total=None)
    try:
        if not records:
            return observe_matches(
                knowledge, machine, effort, seed, lambda text: progress.update(task, description=text)
            )
        read = [read_records(path, machine) for path in record_files(records)]
        return observe_records(read, machine, seed, effort.positions)
    finally:
        progress.remove_task(task)
