"""The history of a run on a terminal: strength with its intervals, feature classes and measures."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from gdl_miner.miner.results.acceptance import HEADINGS, TITLE, acceptance_rows
from gdl_miner.miner.results.history import BARE_UCT, RunHistory
from gdl_miner.miner.results.step_columns import shown, step_columns
from gdl_miner.miner.results.terminal_plots import blocks, whisker

_PADDING = 2  # characters between columns
_LEAST_PLOT, _WIDEST_PLOT = 10, 60


def terminal_tables(history: RunHistory, width: int) -> list[RenderableType]:
    """Return the tables of a run with at least one finished step, for a terminal of `width` characters."""
    tables = [_strength(history, width), _classes(history, width), _measures(history), _acceptance(history)]
    return [table for table in tables if table.row_count]


def _strength(history: RunHistory, width: int) -> Table:
    against = "" if history.origin == BARE_UCT else f" and each other; Elo over {history.origin}"
    table = _table(f"Strength against {BARE_UCT}{against}")
    champion, columns = history.champion, step_columns(history)
    del columns["player"]
    scores = list(history.main[["win_percent", "ci95_low", "ci95_high"]].itertuples(index=False, name=None))
    scores += [(champion["win_percent"], *champion["ci95"])] if champion else []
    ends = [50.0, *(end for score in scores for end in score if end == end)]
    scale = (max(0.0, min(ends) - 1), min(100.0, max(ends) + 1))
    widths = {heading: max(map(len, (heading, *cells))) + _PADDING for heading, cells in columns.items()}
    fitting = list(columns)
    while len(fitting) > 2 and _PADDING + sum(widths[each] for each in fitting) + _LEAST_PLOT > width:
        fitting.pop()
    room = max(_LEAST_PLOT, min(_WIDEST_PLOT, width - _PADDING - sum(widths[each] for each in fitting)))
    for heading in fitting:
        table.add_column(heading, justify="right", no_wrap=True)
    low, high = f"{scale[0]:.0f} %", f"{scale[1]:.0f} %"
    table.add_column(f"{low}{high:>{room - len(low)}}", no_wrap=True, style="cyan")
    for place, score in enumerate(scores):
        percent, lowest, highest = score
        plot = whisker(percent, lowest, highest, scale, room, 50.0) if percent == percent else ""
        style = "bold" if place == len(history.main) else ""
        table.add_row(*(columns[heading][place] for heading in fitting), plot, style=style)
    return table


def _classes(history: RunHistory, width: int) -> Table:
    table = _table("Features of the best")
    table.add_column("class")
    table.add_column(f"over {history.unit}s", no_wrap=True)
    table.add_column("last", justify="right")
    table.add_column("", no_wrap=True)
    counts = {name: history.main[name].fillna(0).tolist() for name in history.class_colours if name in history.main}
    most = max([1.0, *(values[-1] for values in counts.values())])
    for name, values in counts.items():
        if any(values):
            bar = "█" * round(values[-1] / most * min(40, max(8, width - 60)))
            text = Text(bar, style=history.class_colours[name])
            table.add_row(name.removeprefix("Feature"), blocks(values), f"{values[-1]:.0f}", text)
    return table


def _measures(history: RunHistory) -> Table:
    """Return the numeric metrics that moved, over the steps, with the range of the last step's players."""
    table = _table("Measures of the best" if history.crowded else "Measures")
    for heading in ("measure", f"over {history.unit}s", "last", *(["all players"] if history.crowded else [])):
        table.add_column(heading, justify="left" if heading != "last" else "right", no_wrap=True)
    last = history.players[history.players["step"] == history.main["step"].iloc[-1]]
    for metric, values in history.main.select_dtypes("number").items():
        name, known = str(metric), values.dropna()
        if history.charted(name) and known.nunique() > 1:
            spread = [f"{shown(last[name].min())} to {shown(last[name].max())}" if name in last else ""]
            table.add_row(name, blocks(known.tolist()), shown(float(known.iloc[-1])), *spread[: history.crowded])
    return table


def _acceptance(history: RunHistory) -> Table:
    table = _table(TITLE)
    for heading in HEADINGS:
        table.add_column(heading, justify="right" if heading == "playouts" else "left")
    for row in acceptance_rows(history):
        table.add_row(*row)
    return table


def _table(title: str) -> Table:
    return Table(box=None, padding=(0, 1), title=title, title_justify="left", title_style="bold")
