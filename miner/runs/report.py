"""Drawing of a run's pictures and report from the files in its folder."""

from __future__ import annotations

from pathlib import Path

from gdl_miner.agent.files.new_file import replace_file
from gdl_miner.agent.knowledge import read_knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.learners.registry import method_of, read_run
from gdl_miner.miner.results.report import report_page
from gdl_miner.miner.runs.setup import RunSetup

__all__ = ["draw_run", "write_report"]


def draw_run(setup: RunSetup) -> None:
    """Draw the pictures and the report of a run; there are none before the first step is finished."""
    setup.method.draw_plots(setup.method.read_history(setup.store.folder))
    write_report(setup.store.folder, setup.game.machine())


def write_report(folder: Path, machine: Machine) -> None:
    """Write report.html from the files in a run's folder; there is none before the first step is finished.

    Raises ConfigError where the folder's tables are damaged, and KnowledgeError where best.xml is.
    """
    history = read_run(folder)
    if history.progress:
        knowledge = read_knowledge(folder / "best.xml", machine.sheet)
        parts = method_of(history.content).report_parts(history, knowledge, machine)
        replace_file(folder / "report.html", report_page(history, parts, machine.sheet.name).encode())
