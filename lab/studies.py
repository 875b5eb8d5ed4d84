"""The table of all studies, and the command line that is made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gdl_miner.agent.commands.application import application
from lab.cluster import cli as cluster
from lab.opponents import engine_commands as opponents
from lab.opponents.ladder_cli import ladder
from lab.speed import cli as speed
from lab.speed import knowledge_cli as learning
from lab.strength import cli as strength
from lab.theses import cli as theses

__all__ = ["STUDIES", "Study", "app"]


class Study(NamedTuple):
    """Something that can be measured."""

    name: str  # on the command line
    subject: str  # under which it is listed
    run: Callable[..., None]  # its parameters are the options, its docstring is the help


_SPEED, _CLUSTER, _STRENGTH, _THESES = "Speed", "Many processes", "Strength", "Tables of others"
STUDIES = (
    Study("playouts", _SPEED, speed.measure_playouts),
    Study("decisive", _SPEED, speed.measure_decisive),
    Study("search", _SPEED, speed.measure_search),
    Study("latency", _SPEED, speed.measure_latency),
    Study("values", _SPEED, speed.measure_values),
    Study("isa", _SPEED, speed.measure_instruction_sets),
    Study("corpus", _SPEED, speed.measure_corpus),
    Study("knowledge", _SPEED, learning.measure_knowledge),
    Study("mining", _SPEED, learning.measure_mining),
    Study("training", _SPEED, learning.measure_training),
    Study("work", _SPEED, strength.work),
    Study("throughput", _CLUSTER, cluster.throughput),
    Study("sleepers", _CLUSTER, cluster.sleepers),
    Study("simulation", _CLUSTER, cluster.simulate),
    Study("puzzles", _STRENGTH, speed.measure_puzzles),
    Study("selection", _STRENGTH, learning.measure_selection),
    Study("equal-time", _STRENGTH, strength.play),
    Study("champions", _STRENGTH, theses.champions),
    Study("engine", _STRENGTH, opponents.engine),
    Study("mistakes", _STRENGTH, opponents.mistakes),
    Study("ladder", _STRENGTH, ladder),
    Study("table-6.3", _THESES, theses.table_63),
    Study("table-6.4", _THESES, theses.table_64),
    Study("table-6.5", _THESES, theses.table_65),
    Study("figures", _THESES, theses.figures),
    Study("td-tables", _THESES, theses.td_tables),
    Study("gifl-tables", _THESES, theses.gifl_tables),
    Study("expert-iteration", _THESES, theses.expert_iteration),
    Study("transfer", _THESES, theses.transfer),
)

app = application("lab", "Measure the program: its speed, its strength, and the tables of others beside its own.")
for study in STUDIES:
    app.command(study.name, rich_help_panel=study.subject)(study.run)
