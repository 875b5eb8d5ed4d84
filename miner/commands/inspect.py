"""`miner inspect`: how a run went, or goes, on a terminal."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from miner.results.history import RunHistory, count_matches, count_playouts, read_history
from miner.results.plots import CLASS_COLOURS
from miner.results.terminal_plots import blocks, whisker

__all__ = ["inspect"]

_EVERY_S = 2.0  # between two looks at a run that is watched
_GENES = (
    "uct_c",
    "expansions",
    "puct_c",
    "bias",
    "fade",
    "impact",
    "winning_weight",
    "losing_weight",
    "max_features",
    "work_ratio",
)
# Columns of the table of fitness beside its plot, the most important first, and their widths with the space around.
_WIDTHS = {"gen": 7, "win %": 7, "95 %": 12, "Elo": 13, "mean %": 8, "features": 10, "matches/s": 11}
_PADDING = 2  # of the plot
_LEAST_PLOT = 10


def inspect(
    run: Annotated[Path, typer.Argument(help="The folder of the run.", metavar="RUN")],
    watch: Annotated[bool, typer.Option("--watch", help="Follow a run that goes on until it is complete.")] = False,
) -> None:
    """Show how a run went, or goes: fitness with its intervals, feature classes, parameters, pace.

    Reads the run's tables and changes nothing; the run may go on meanwhile.
    """
    history = read_history(run)
    console = Console()
    if not watch or history.complete:
        console.print(_page(history, console.width))
        return
    try:
        _follow(run, history, console)
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


def _follow(run: Path, history: RunHistory, console: Console) -> None:
    """Draws the page anew while the run goes on; in a pipe, a page per finished generation."""
    if console.is_terminal:
        with Live(_page(history, console.width, news_first=True), console=console, auto_refresh=False) as live:
            while not history.complete:
                time.sleep(_EVERY_S)
                history = read_history(run)
                live.update(_page(history, console.width, news_first=not history.complete), refresh=True)
        return
    shown = -1
    while True:
        if len(history.generations) != shown or history.complete:
            shown = len(history.generations)
            console.print(_page(history, console.width))
        if history.complete:
            return
        time.sleep(_EVERY_S)
        history = read_history(run)


def _page(history: RunHistory, width: int, *, news_first: bool = False) -> RenderableType:
    """What is known of a run. A terminal shows the end of what is printed, but the beginning of what is redrawn."""
    settings, game = history.settings, history.content["game"]["name"]
    head = Text.assemble(
        (game, "bold"),
        f"  seed {settings['seed']}, {settings['evolution']['population']} individuals, "
        f"{settings['search']['playouts']} playouts a move, {history.folder}",
    )
    news = Text(_progress(history))
    if history.generations.empty:
        return Group(head, news)
    tables = (_fitness(history, width), "", _classes(history, width), "", _genes(history))
    return Group(head, news, "", *tables) if news_first else Group(head, "", *tables, "", news)


def _fitness(history: RunHistory, width: int) -> Table:
    table = Table(box=None, padding=(0, 1), title="Fitness against bare UCT", title_justify="left", title_style="bold")
    champion = history.champion
    ends = history.generations[["best_ci95_low", "best_ci95_high"]].to_numpy().ravel().tolist()
    ends += [50.0, *(champion["ci95"] if champion else ())]
    scale = (max(0.0, min(ends) - 1), min(100.0, max(ends) + 1))
    shown = _fitting_columns(width)
    room = max(_LEAST_PLOT, min(60, width - _PADDING - sum(_WIDTHS[heading] for heading in shown)))
    for heading in shown:
        table.add_column(heading, justify="right", no_wrap=True)
    low, high = f"{scale[0]:.0f} %", f"{scale[1]:.0f} %"
    table.add_column(f"{low}{high:>{room - len(low)}}", no_wrap=True, style="cyan")
    for _, row in history.generations.iterrows():
        score = (row["best_win_percent"], row["best_ci95_low"], row["best_ci95_high"])
        cells = {
            "gen": str(int(row["generation"])),
            **_score_cells(score, row["best_elo"], row["best_elo_se"]),
            "mean %": f"{row['mean_win_percent']:.1f}",
            "features": str(int(row["best_features"])),
            "matches/s": _pace(history, int(row["generation"])),
        }
        table.add_row(*(cells[heading] for heading in shown), whisker(*score, scale, room, 50.0))
    if champion is not None:
        score = (champion["win_percent"], *champion["ci95"])
        cells = {
            "gen": "fresh",
            **_score_cells(score, champion["elo"], champion["elo_se"]),
            "matches/s": _pace(history, history.planned + 1),
        }
        plot = whisker(*score, scale, room, 50.0)
        table.add_row(*(cells.get(heading, "") for heading in shown), plot, style="bold")
    return table


def _fitting_columns(width: int) -> list[str]:
    """Those of a table of fitness for which the terminal is wide enough, beside a plot; the first two always."""
    shown = list(_WIDTHS)
    while len(shown) > 2 and _PADDING + sum(_WIDTHS[heading] for heading in shown) + _LEAST_PLOT > width:
        shown.pop()
    return shown


def _score_cells(score: tuple[float, float, float], elo: float, error: float) -> dict[str, str]:
    return {
        "win %": f"{score[0]:.1f}",
        "95 %": f"{score[1]:.1f}–{score[2]:.1f}",
        "Elo": f"{elo:+.0f} ± {error:.0f}",
    }


def _pace(history: RunHistory, generation: int) -> str:
    rows = history.timings[(history.timings["generation"] == generation) & (history.timings["work"] != "mining")]
    seconds = rows["seconds"].sum()
    return f"{rows['matches'].sum() / seconds:.1f}" if seconds > 0 else ""


def _classes(history: RunHistory, width: int) -> Table:
    table = Table(box=None, padding=(0, 1), title="Features of the best", title_justify="left", title_style="bold")
    table.add_column("class")
    table.add_column("over generations", no_wrap=True)
    table.add_column("now", justify="right")
    table.add_column("", no_wrap=True)
    best = history.best
    most = max(1.0, max(float(best[name].iloc[-1]) for name in CLASS_COLOURS))
    for name, colour in CLASS_COLOURS.items():
        counts = [float(count) for count in best[name]]
        if any(counts):
            bar = "█" * round(counts[-1] / most * min(40, max(8, width - 60)))
            table.add_row(name.removeprefix("Feature"), blocks(counts), f"{counts[-1]:.0f}", Text(bar, style=colour))
    return table


def _genes(history: RunHistory) -> Table:
    table = Table(box=None, padding=(0, 1), title="Parameters of the best", title_justify="left", title_style="bold")
    for heading in ("parameter", "over generations", "now", "population"):
        table.add_column(heading, justify="left" if heading != "now" else "right", no_wrap=True)
    last = history.individuals[history.individuals["generation"] == history.best["generation"].iloc[-1]]
    for gene in _GENES:
        values = [float(value) for value in history.best[gene]]
        spread = f"{last[gene].min():.4g} to {last[gene].max():.4g}"
        table.add_row(gene, blocks(values), f"{values[-1]:.4g}", spread)
    return table


def _progress(history: RunHistory) -> str:
    """One sentence: complete with what, or how far."""
    if history.champion is not None:
        return f"complete: champion {history.champion['individual']} {_describe(history.champion)}"
    if history.complete:
        return "complete"
    played = len(history.matches)
    done = f"{len(history.generations)} of {history.planned} generations, {played} matches in all"
    quiet = time.time() - _last_written(history.folder)
    return f"not complete: {done}; last written {quiet:.0f} s ago (miner resume continues an interrupted run)"


def _last_written(folder: Path) -> float:
    """When anything of a run was written last; files may come and go meanwhile."""
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
