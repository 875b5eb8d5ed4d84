"""`agent knowledge`: the knowledge that is shipped with the program."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from gdl_miner.agent.commands import options
from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.gdl.rules import read_sheet
from gdl_miner.agent.released import Released, knowledge_file, read_index

_GameOrAll = Annotated[
    str | None,
    typer.Option(
        "--game", "-g", help=options.GAME_HELP, show_default="all bundled games", autocompletion=options.completed
    ),
]
_LevelArgument = Annotated[
    str, typer.Argument(help="A level of agent knowledge list.", metavar="LEVEL", show_default=False)
]


def list_released(game: _GameOrAll = None, as_json: options.Json = False) -> None:
    """List the levels of knowledge that are shipped with the program, and how strong each is.

    A level is taken wherever a knowledge file is: `--knowledge quick`, or as a player, `--white quick`. Where there is
    a file of that name, the file is taken.
    """
    found: Sequence[Released] = read_index()
    if game is not None:
        sheet = read_sheet(game)
        found = [each for each in found if each.digest == sheet.digest]
    if as_json:
        print(json.dumps({"knowledge": [each.as_json() for each in found]}))
        return
    if not found:
        print("there is none for these rules; miner evolve learns some")
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("game", no_wrap=True)
    table.add_column("level", no_wrap=True)
    for name in ("kB", "learned", "equal work", "10 × the work", "over quick"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in found:
        equal, *deeper = [meeting for meeting in each.strength if meeting["opponent_level"] is None]
        over = [meeting for meeting in each.strength if meeting["opponent_level"] == "quick"]
        row = [f"{_points(met[-1])} {_interval(met[-1])}" if met else "" for met in ([equal], deeper, over)]
        table.add_row(each.game, each.level, f"{each.bytes / 1000:.0f}", f"{each.processor_s:.0f} s", *row)
    Console().print(table)
    print(f"percent of the points and 95 % intervals: against {found[0].strength[0]['opponent']}")
    print("at equal work, against ten times that work, and over quick with ten times that work on both sides;")
    print("learned in seconds of one processor")


def show_released(level: _LevelArgument, game: options.Game, as_json: options.Json = False) -> None:
    """Show where released knowledge of a game is, the command that learns it anew, and all its matches."""
    sheet = read_sheet(game)
    path = knowledge_file(level, sheet)
    found = next((each for each in read_index() if (each.digest, each.level) == (sheet.digest, level)), None)
    if found is None or path != found.path():
        raise ConfigError(f"{level}: this is a file, and no level; agent knowledge list has the levels")
    described: dict[str, Any] = {"path": str(path), **found.as_json()}
    if as_json:
        print(json.dumps(described))
        return
    strength = described.pop("strength")
    for key, value in described.items():
        print(f"{key.replace('_', ' ')}: {value}")
    for each in strength:
        print(f"against {each['opponent']}: {_points(each)} % (95 %: {_interval(each)}), {each['n']} matches")


def _points(meeting: Mapping[str, Any]) -> str:
    return f"{meeting['win_percent']:.1f}"


def _interval(meeting: Mapping[str, Any]) -> str:
    low, high = meeting["ci95"]
    return f"{low:.0f}–{high:.0f}"
