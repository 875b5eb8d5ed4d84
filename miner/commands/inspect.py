"""`miner inspect` shows on a terminal how a run went, or goes."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from gdl_miner.agent.errors import ConfigError, escaped
from gdl_miner.miner.play.wording import NOTHING_HELPS, count_matches, count_playouts, plugins_in_words
from gdl_miner.miner.results.history import RunHistory, read_run
from gdl_miner.miner.results.inspection import terminal_tables
from gdl_miner.miner.results.json_file import read_object
from gdl_miner.miner.results.pruning import pruning_in_words
from gdl_miner.miner.results.store import WORK

_FRESH_S = 30.0  # age of what is said of the work
_EVERY_S = 2.0  # time between two readings of a run that is watched


def inspect(
    run: Annotated[Path, typer.Argument(help="The folder of the run.", metavar="RUN")],
    watch: Annotated[bool, typer.Option("--watch", help="Follow a run that goes on until it is complete.")] = False,
) -> None:
    """Show how a run went, or goes: strength with its intervals, feature classes, measures, pace.

    Reads the run's tables and changes nothing; the run may go on meanwhile.
    """
    history = read_run(run)
    console = Console()
    if not watch or history.complete:
        console.print(_page(history, console.width))
        return
    try:
        _follow(run, history, console)
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


def _follow(run: Path, history: RunHistory, console: Console) -> None:
    """Redraw the page while the run goes on; in a pipe, print a page after every finished step."""
    if console.is_terminal:
        with Live(_page(history, console.width, news_first=True), console=console, auto_refresh=False) as live:
            while not history.complete:
                time.sleep(_EVERY_S)
                history = read_run(run)
                live.update(_page(history, console.width, news_first=not history.complete), refresh=True)
        return
    shown = -1
    while True:
        if len(history.main) != shown or history.complete:
            shown = len(history.main)
            console.print(_page(history, console.width))
        if history.complete:
            return
        time.sleep(_EVERY_S)
        history = read_run(run)


def _page(history: RunHistory, width: int, *, news_first: bool = False) -> RenderableType:
    """Return the page of a run.

    The progress is printed last but redrawn first, because a terminal shows the end of printed output and the beginning
    of redrawn output.
    """
    settings, content, start = history.settings, history.content, history.content.get("start", {}).get("given")
    head = Text.assemble(
        (content["game"]["name"], "bold"),
        f"  {content['learner']}{f' from {Path(start).name}' if start else ''}, seed {settings['seed']}, "
        f"{count_playouts(settings['search']['playouts'])} a move, {history.folder}",
    )
    with_plugins = f"with {plugins_in_words(history.plugins)}" if history.plugins else ""
    lines = (with_plugins, history.use_of_values, pruning_in_words(history), _progress(history))
    news = Text("\n".join(line for line in lines if line))
    if not len(history.main):
        return Group(head, news)
    tables = [part for table in terminal_tables(history, width) for part in ("", table)]
    return Group(head, news, *tables) if news_first else Group(head, *tables, "", news)


def _progress(history: RunHistory) -> str:
    """Return one line: the result of a complete run, or the progress of an incomplete one."""
    if history.champion is not None:
        said = f"champion {history.champion['individual']} {_describe(history.champion)}"
        return f"complete: {said}" if history.helps else f"complete: {NOTHING_HELPS}\n{said}"
    if history.complete:
        return "complete"
    played = len(history.matches)
    done = f"{len(history.main)} of {history.planned} {history.unit}s, {played} matches in all"
    quiet = time.time() - _last_written(history.folder)
    said = f"not complete: {done}; last written {quiet:.0f} s ago (miner resume continues an interrupted run)"
    work = work_of(history.folder)
    return f"{said}\n{work}" if work else said


def work_of(run: Path) -> str:
    """Return in a line what is at work now, empty where nothing was said of it for a while."""
    path = run / WORK
    with suppress(FileNotFoundError, ConfigError):
        if time.time() - path.stat().st_mtime <= _FRESH_S:
            return escaped(str(read_object(path, "").get("text", "")))
    return ""


def _last_written(folder: Path) -> float:
    """Return the time of the last change to any file of a run; files may appear and vanish in the meantime."""
    last = folder.stat().st_mtime
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            last = max(last, path.stat().st_mtime)
    return last


def _describe(champion: dict[str, Any]) -> str:
    low, high = champion["ci95"]
    return (
        f"on fresh matches: {champion['win_percent']:.1f} % (95 %: {low:.1f}–{high:.1f}), "
        f"Elo {champion['elo']:+.0f} ± {champion['elo_se']:.0f}, {count_matches(champion['n'], champion['draws'])}; "
        f"{count_playouts(champion['playouts'])} a move, bare UCT {champion['baseline_playouts']} "
        f"with a constant of {champion['baseline_uct_c']:g}"
    )
