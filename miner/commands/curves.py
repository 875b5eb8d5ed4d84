"""`miner curves` draws the learning curves of several methods over games, with bands over the seeds."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.extras import check_extra
from gdl_miner.miner.commands.plots import PictureKind
from gdl_miner.miner.results.curves import Band, learning_curves
from gdl_miner.miner.results.history import RunHistory, read_run
from gdl_miner.miner.results.json_file import read_object

_SWEEP, _RESULT = "sweep.json", "result.json"


class Across(StrEnum):
    """What the horizontal axis has."""

    step = "step"
    seconds = "seconds"


def curves(
    folders: Annotated[
        list[Path], typer.Argument(help="Folders of sweeps, or of runs of any methods.", metavar="FOLDER…")
    ],
    formats: Annotated[
        list[PictureKind] | None,
        typer.Option("--format", help="Format of the figure; give it again for more.", show_default="svg"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The figure, without the end of its name.", show_default="FOLDER/curves of the first one"),
    ] = None,
    metric: Annotated[str, typer.Option(help="A metric of steps.csv.")] = "win_percent",
    band: Annotated[
        Band, typer.Option(help="From the worst to the best of the seeds, or a standard deviation on each side.")
    ] = Band.range,
    across: Annotated[
        Across, typer.Option(help="Steps, or processor seconds of learning and measuring up to them.")
    ] = Across.step,
    log: Annotated[bool, typer.Option("--log", help="A logarithmic axis of seconds.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print an array with an object for each curve.")] = False,
) -> None:
    """Draw learning curves: a chart for each game, and in it a line for each method, with a band over its seeds.

    The line is the mean of the runs that differ in nothing but their seeds. Methods have several lines where their runs
    have several configurations. A run that ended earlier than others keeps its last value. [b]win_percent[/b] is points
    against bare UCT at equal work, for all methods. [b]--json[/b] draws nothing.
    """
    if log and across is not Across.seconds:
        raise ConfigError("--log is for seconds; give --across seconds")
    runs = list(dict.fromkeys(run for folder in folders for run in _runs(folder)))
    if not runs:
        raise ConfigError(f"{folders[0]}: no run of the sweep has ended yet; wait for one")
    found = learning_curves(_labelled([read_run(run) for run in runs]), metric, band)
    if as_json:
        print(json.dumps([each.as_json() for each in found]))
        return
    check_extra("plots", "miner curves")
    from gdl_miner.miner.results.curve_plots import draw_curves  # here, because Matplotlib takes long to load
    from gdl_miner.miner.results.plots import save

    place = folders[0] / "curves" if out is None else out
    for kind in dict.fromkeys(formats or [PictureKind.svg]):
        path = place.with_name(f"{place.name.removesuffix(f'.{kind}')}.{kind}")
        save(draw_curves(found, metric, across.value, log=log), path, keep_text=True)
        print(path)


def _runs(folder: Path) -> Iterator[Path]:
    """Yield the folders of runs of a sweep, without those that failed, or the folder itself, which is that of a run."""
    if not (folder / _SWEEP).exists():
        yield folder
        return
    failed = 0
    for path in sorted(folder.glob(f"[!.]*/{_RESULT}")):
        if read_object(path, "restore it").get("error"):
            failed += 1
        else:
            yield path.parent
    if failed:
        print(f"{folder}: {failed} runs could not be run, and are left out", file=sys.stderr)


def _labelled(histories: Sequence[RunHistory]) -> list[tuple[str, RunHistory]]:
    """Return runs with the names of their methods, and of their configurations where these differ."""
    by_method = dict[str, dict[str, str]]()  # settings without the seed -> the name of the configuration
    told = list[tuple[str, str, RunHistory]]()
    for history in histories:
        method = str(history.content["learner"])
        settings = {key: value for key, value in history.settings.items() if key not in ("seed", "execution")}
        start = history.content.get("start", {}).get("digest")
        key = json.dumps([settings, start], sort_keys=True)
        name = Path(str(history.content.get("source", ""))).stem + (" with --start" if start else "")
        names = by_method.setdefault(method, {})
        if key not in names:
            names[key] = f"{name} {len(names) + 1}" if name in names.values() else name
        told.append((method, key, history))
    return [
        (method if len(by_method[method]) == 1 else f"{method}, {by_method[method][key]}", history)
        for method, key, history in told
    ]
