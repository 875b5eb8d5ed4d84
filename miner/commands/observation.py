"""The matches that `miner explain` and `miner prune` observe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.progress import Progress

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.limits import MAX_COUNT, MAX_PLAYOUTS
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.record_xml import read_records
from gdl_miner.miner.commands.mine import record_files
from gdl_miner.miner.usefulness.observations import Effort, Observations, observe_matches, observe_records

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
