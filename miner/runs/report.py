"""Drawing of a run's pictures and report from the files in its folder."""

from __future__ import annotations

from pathlib import Path

from gdl_miner.agent.files.new_file import replace_file
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.results.history import read_run
from gdl_miner.miner.results.report import report_page
from gdl_miner.miner.results.store import BEST


def draw_run(folder: Path, machine: Machine) -> None:
    """Draw the report of a run, and the pictures of a population; there are none before the first step is finished.

    Raises ConfigError where the folder's tables are damaged, and KnowledgeError where best.xml is.
    """
    history = read_run(folder)
    if history.crowded and history.progress:
        from gdl_miner.miner.results.plots import draw_plots  # imported on first use: Matplotlib takes long

        draw_plots(history)
    best = folder / BEST
    if len(history.main) and best.exists():
        knowledge = read_knowledge(best, machine.sheet)
        replace_file(folder / "report.html", report_page(history, knowledge, machine).encode())
