"""The table of all studies, and the command line that is made of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import NamedTuple, get_type_hints

from gdl_miner.agent.commands.application import application
from gdl_miner.agent.commands.options import Json
from lab import mutants
from lab.ladder.study import ladder
from lab.opponents.study import mistakes, opponents
from lab.processes import simulation, throughput
from lab.speed import environments, knowledge, playouts, puzzles, search, work
from lab.strength import best_so_far, champions, equal_time, release, selection
from lab.tables import StudyTable
from lab.theses import end_features, expert_iteration, figures, learned_values, rule_sheets, thesis, transfer


class Study(NamedTuple):
    """Something that can be measured."""

    name: str  # on the command line
    subject: str  # under which it is listed
    measure: Callable[..., Iterator[StudyTable]]  # its parameters are the options, its docstring is the help


_SPEED, _PROCESSES, _STRENGTH, _THESES, _TESTS = "Speed", "Many processes", "Strength", "Tables of others", "Tests"
STUDIES = (
    Study("playouts", _SPEED, playouts.playouts),
    Study("decisive", _SPEED, playouts.decisive),
    Study("corpus", _SPEED, playouts.corpus),
    Study("environments", _SPEED, environments.environments),
    Study("search", _SPEED, search.search),
    Study("values", _SPEED, search.values),
    Study("knowledge", _SPEED, knowledge.knowledge),
    Study("work", _SPEED, work.work),
    Study("throughput", _PROCESSES, throughput.throughput),
    Study("sleepers", _PROCESSES, throughput.sleepers),
    Study("simulation", _PROCESSES, simulation.simulation),
    Study("opponents", _STRENGTH, opponents),
    Study("mistakes", _STRENGTH, mistakes),
    Study("ladder", _STRENGTH, ladder),
    Study("equal-time", _STRENGTH, equal_time.equal_time),
    Study("champions", _STRENGTH, champions.champions),
    Study("puzzles", _STRENGTH, puzzles.puzzles),
    Study("selection", _STRENGTH, selection.selection),
    Study("best-so-far", _STRENGTH, best_so_far.best_so_far),
    Study("release", _STRENGTH, release.release),
    Study("table-5.1", _THESES, rule_sheets.preparation),
    Study("table-6.1", _THESES, rule_sheets.evolved_games),
    Study("table-6.2", _THESES, rule_sheets.conforming_sheets),
    Study("table-6.3", _THESES, rule_sheets.reasoning_speed),
    Study("table-6.4", _THESES, thesis.knowledge_strength),
    Study("table-6.5", _THESES, thesis.transposition_tables),
    Study("figures", _THESES, figures.figures),
    Study("td-tables", _THESES, learned_values.learned_values),
    Study("gifl-tables", _THESES, end_features.end_features),
    Study("expert-iteration", _THESES, expert_iteration.expert_iteration),
    Study("transfer", _THESES, transfer.transfer),
    Study("mutants", _TESTS, mutants.mutants),
)


def _command(study: Study) -> Callable[..., None]:
    """Return the command of a study: its options and `--json`."""
    hints = get_type_hints(study.measure, include_extras=True)
    own = [each.replace(annotation=hints[each.name]) for each in inspect.signature(study.measure).parameters.values()]
    as_json = inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json)

    def run(as_json: bool, **options: object) -> None:
        for table in study.measure(**options):
            table.print(as_json)

    run.__doc__ = study.measure.__doc__
    run.__annotations__ = {each.name: each.annotation for each in (*own, as_json)}
    run.__signature__ = inspect.Signature([*own, as_json])  # type: ignore[attr-defined]  # typer reads the options from it
    return run


app = application("lab", "Measure the program: its speed, its strength, and the tables of others beside its own.")
for _study in STUDIES:
    app.command(_study.name, rich_help_panel=_study.subject)(_command(_study))
