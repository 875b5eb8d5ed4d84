"""The tables of an evolution on a terminal: fitness with its intervals, feature classes and parameters."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from gdl_miner.agent.features import CLASS_COLOURS
from gdl_miner.miner.learners.evolution.genome import VALUE_GENES
from gdl_miner.miner.learners.evolution.history import EvolutionHistory
from gdl_miner.miner.results.terminal_plots import blocks, whisker

__all__ = ["terminal_tables"]

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
# The columns of the fitness table beside its plot, the most important first, with their widths including padding.
_WIDTHS = {"gen": 7, "win %": 7, "95 %": 12, "Elo": 13, "mean %": 8, "features": 10, "matches/s": 11}
_PADDING = 2  # characters around the plot
_LEAST_PLOT = 10


def terminal_tables(history: EvolutionHistory, width: int) -> list[RenderableType]:
    """Return the tables of an evolution with at least one finished generation, for a terminal of `width` characters."""
    return [_fitness(history, width), _classes(history, width), _genes(history)]


def _fitness(history: EvolutionHistory, width: int) -> Table:
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
            "features": "" if history.pruning is None else str(history.pruning["features"]),
            "matches/s": _pace(history, history.planned + 1),
        }
        plot = whisker(*score, scale, room, 50.0)
        table.add_row(*(cells.get(heading, "") for heading in shown), plot, style="bold")
    return table


def _fitting_columns(width: int) -> list[str]:
    """Return the columns of the fitness table that fit on the terminal beside a plot, but at least the first two."""
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


def _pace(history: EvolutionHistory, generation: int) -> str:
    rows = history.timings[(history.timings["generation"] == generation) & (history.timings["work"] != "mining")]
    seconds = rows["seconds"].sum()
    return f"{rows['matches'].sum() / seconds:.1f}" if seconds > 0 else ""


def _classes(history: EvolutionHistory, width: int) -> Table:
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


def _genes(history: EvolutionHistory) -> Table:
    table = Table(box=None, padding=(0, 1), title="Parameters of the best", title_justify="left", title_style="bold")
    for heading in ("parameter", "over generations", "now", "population"):
        table.add_column(heading, justify="left" if heading != "now" else "right", no_wrap=True)
    last = history.individuals[history.individuals["generation"] == history.best["generation"].iloc[-1]]
    of_values = [gene for gene in VALUE_GENES if gene in history.individuals] if history.values else []
    for gene in (*_GENES, *of_values):
        values = [float(value) for value in history.best[gene]]
        spread = f"{last[gene].min():.4g} to {last[gene].max():.4g}"
        table.add_row(gene, blocks(values), f"{values[-1]:.4g}", spread)
    return table
