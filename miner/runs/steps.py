"""The end of a run's step, and the knowledge files of its players."""

from __future__ import annotations

from collections.abc import Mapping

from gdl_miner.miner.results.tables import Measures, step_rows
from gdl_miner.miner.runs.entrant import Entrant
from gdl_miner.miner.runs.records import StepRecords
from gdl_miner.miner.runs.run import Run


def keep_players(run: Run, step: int, players: tuple[Entrant, ...]) -> None:
    """Write the knowledge files of the players of a step, in place of all earlier files of the step."""
    known = [(player.name, player.knowledge) for player in players]
    run.store.write_step_knowledge(step, known, run.game.sheet)


def crown(run: Run, step: int, best: str) -> None:
    """Make the knowledge of a player of a step, whose file is kept, best.xml."""
    run.store.write_best(step, best, None)


def end_step(
    run: Run,
    step: int,
    players: Mapping[str, Measures],
    measures: Measures,
    best: str | None,
    summary: str = "",
    standing: str = "",
    last: str | None = None,
) -> None:
    """End a step after its matches: keep its records, write what was measured to steps.csv, and draw the report.

    Args:
        run: the run.
        step: the step.
        players: what was measured of each player, by name; the first is the player whom the step is about.
        measures: what was measured of the step itself.
        best: the player of the step whose knowledge becomes best.xml.
        summary: a line that is shown to people.
        standing: a few words that stay on the display.
        last: the player of the step whose knowledge becomes last.xml; None: there is no such file.
    """
    run.service(StepRecords).end_step(step)
    if best is not None:
        run.store.write_best(step, best, last)
    run.store.steps.append(step_rows(step, players, {**measures, "best": best}))
    run.reporter.step(summary, standing)
    run.draw()
