"""The common look of the charts that are drawn as pictures."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from gdl_miner.agent.files.new_file import beside, storing

INK, FAINT = "#1f2430", "#c9ced8"


def canvas(title: str, unit: str, *, across: str = "generation") -> tuple[Figure, Axes]:
    """Return an empty chart with a title and labels; `unit` labels the vertical axis, `across` the horizontal one."""
    figure, axes = plt.subplots(figsize=(9.0, 5.2), dpi=120, layout="constrained")
    axes.set_title(title, loc="left", fontsize=14, fontweight="bold", color=INK, pad=12)
    axes.set_xlabel(across, color=INK)
    axes.set_ylabel(unit, color=INK)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y", color="#eceff4", linewidth=0.9)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(FAINT)
    axes.tick_params(colors=INK, length=3)
    return figure, axes


def legend(axes: Axes) -> None:
    """Draw a legend beside the chart."""
    axes.legend(frameon=False, fontsize=9.5, loc="upper left", bbox_to_anchor=(1.0, 1.0), labelcolor=INK)


def save(figure: Figure, path: Path) -> None:
    """Write the picture in place of an earlier one, which stays as it is where writing fails."""
    new = beside(path)
    with storing(path):
        figure.savefig(new, format="png")
        new.replace(path)
    plt.close(figure)
