"""`miner plots` draws the pictures of a run again, also for papers and slides."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.errors import ConfigError
from gdl_miner.miner.results.history import read_run


class PictureKind(StrEnum):
    """The formats of pictures."""

    png = "png"
    svg = "svg"
    pdf = "pdf"


def plots(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs, finished or not.", metavar="RUN…")],
    formats: Annotated[
        list[PictureKind] | None,
        typer.Option("--format", help="Format of the pictures; give it again for more.", show_default="svg"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder to write to, for one run.", show_default="the folder of the run")
    ] = None,
) -> None:
    """Draw the strength of a run over its steps, and its feature classes, as SVG or PDF, which stay sharp at any size.

    Runs draw `fitness.png` and `features.png` by themselves. Only runs of a population have these pictures; the charts
    of the others are in report.html.
    """
    if out is not None and len(runs) > 1:
        raise ConfigError(f"--out {out}: the pictures of {len(runs)} runs have the same names; draw one run at a time")
    histories = [read_run(run) for run in runs]
    for history in histories:
        if not (history.crowded and history.progress):
            why = "has no population" if history.progress else "has no finished step yet"
            raise ConfigError(f"{history.folder}: the run {why}, so it has no pictures; see its report.html")
    from gdl_miner.miner.results.plots import draw_plots  # here, because Matplotlib takes long to load

    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    for history in histories:
        for kind in dict.fromkeys(formats or [PictureKind.svg]):
            for path in draw_plots(history, out, kind.value):
                print(path)
