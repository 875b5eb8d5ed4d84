"""Playouts per second of searches with knowledge over those without, in one process and in turn."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Annotated

import numpy as np
import typer

from gdl_miner.agent.errors import ConfigError
from gdl_miner.agent.games import bundled
from gdl_miner.agent.knowledge import Knowledge, Parameters, read_knowledge, write_knowledge
from gdl_miner.agent.limits import MAX_PLAYOUTS
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.benchmark import random_positions
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import search_arrays
from lab.options import Games, LanesOption, Rounds, report_progress
from lab.speed.full_size import full_size_knowledge, variants
from lab.tables import Column, Row, StudyTable, game_column
from lab.theses.thesis import DEPTHS

# [way] the parameters that say where features act.
WAYS: dict[str, dict[str, int]] = {
    "selection": {"features_in_selection": True, "features_in_playouts": False},
    "late": {"features_in_selection": True, "features_in_playouts": False, "scoring_visits": 4},
    "first": {"features_in_selection": True, "features_in_playouts": True, "playout_moves": 2},
    "playouts": {"features_in_selection": True, "features_in_playouts": True},
}

# Upper limit where knowledge draws moves of playouts: these take so long that a few of them show their cost.
_DRAWN = 100
# Least number of playouts of a batch, about: fewer end too soon to be timed.
_TIMED = 200_000
_OTHER = 200  # playouts of each search in other games than those of the thesis


def knowledge(
    game: Games = None,
    rounds: Rounds = 3,
    playouts: Annotated[
        int, typer.Option(min=0, max=MAX_PLAYOUTS, help="Playouts of each search; 0: as the thesis's clocks allowed.")
    ] = 0,
    lanes: LanesOption = 512,
    knowledge: Annotated[
        Path | None, typer.Option(help="A knowledge file of the one game; by default one is mined.")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(help="Folder where mined files are kept; those found there are taken.")
    ] = None,
) -> Iterator[StudyTable]:
    """Playouts per second with full-size knowledge over those without: one file, and 24 different ones in a batch.

    Selection: features guide the choice in the tree; late: from the fourth visit of a node; first: they also draw the
    first two moves of playouts; playouts: all of them (these two in searches of at most 100 playouts). Figures are
    medians of ratios within a round, of processor time.
    """
    games = game or sorted(set(bundled()) - {"tictactoe.ext"})
    if knowledge is not None and len(games) != 1:
        raise ConfigError("a knowledge file is of one game; name it with --game")

    def rows() -> Iterator[Row]:
        for name in games:
            machine = load_machine(name, progress=report_progress)
            yield _measured(machine, _file(machine, knowledge, keep), rounds, lanes, playouts)

    columns = (
        game_column(),
        Column("features", "features", 8),
        Column("itemsets", "itemsets", 8),
        Column("bare_per_cpu_s", "bare/CPU s", 10),
        *(
            Column(f"{way}_{files}", f"{way} {files}", len(way) + 6, ".3f")
            for way in WAYS
            for files in ("one", "mixed")
        ),
    )
    yield StudyTable(columns, rows())


def _file(machine: Machine, given: Path | None, keep: Path | None) -> Knowledge:
    path = given if given is not None or keep is None else keep / f"{machine.sheet.name}.xml"
    if path is not None and (path is given or path.exists()):
        return read_knowledge(path, machine.sheet)
    report_progress(f"{machine.sheet.name}: playing and mining")
    mined = full_size_knowledge(machine)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_knowledge(mined, path, machine.sheet)
    return mined


def _measured(machine: Machine, knowledge: Knowledge, rounds: int, lanes: int, playouts: int) -> Row:
    """Search the same positions without knowledge and in every way with it: one file, and all its variants.

    Files are compiled before time is taken.
    """
    depth = playouts or DEPTHS.get(machine.sheet.name, _OTHER)
    kinds, bases = _kinds(machine, knowledge, depth)
    searches = lanes * max(1, round(_TIMED / depth / lanes))
    speeds: dict[str, list[float]] = {kind: [] for kind in kinds}
    for turn in range(rounds):
        states = random_positions(machine, searches, derive_seed(1, turn))
        for kind, speed in _speeds(machine, kinds, states, lanes):
            speeds[kind].append(speed)
    lists = [*knowledge.winning, *knowledge.losing]
    ratios = {
        kind: median(speed / alone for speed, alone in zip(speeds[kind], speeds[base], strict=True))
        for kind, base in bases.items()
    }
    return {
        "game": machine.sheet.name,
        "features": sum(map(len, lists)) / len(machine.roles),
        "itemsets": sum(each.itemset is not None for features in lists for each in features) / len(machine.roles),
        "playouts": depth,
        "bare_per_cpu_s": median(speeds["bare"]),
        **ratios,
    }


def _kinds(
    machine: Machine, knowledge: Knowledge, depth: int
) -> tuple[dict[str, Sequence[PlayerSpec]], dict[str, str]]:
    """Return the players of each kind, and for each kind with knowledge the kind without it to compare with."""
    alone = {"bare": PlayerSpec(playouts=depth), "shallow": PlayerSpec(playouts=min(depth, _DRAWN))}
    kinds: dict[str, Sequence[PlayerSpec]] = {name: [player] for name, player in alone.items()}
    bases: dict[str, str] = {}
    for way, flags in WAYS.items():
        base = "shallow" if flags["features_in_playouts"] else "bare"
        for files, players in (("one", [knowledge]), ("mixed", variants(knowledge))):
            kinds[f"{way}_{files}"] = [_player(alone[base], each, machine, flags) for each in players]
            bases[f"{way}_{files}"] = base
    return kinds, bases


def _player(bare: PlayerSpec, knowledge: Knowledge, machine: Machine, flags: dict[str, int]) -> PlayerSpec:
    parameters: Parameters = replace(knowledge.parameters, **flags)  # type: ignore[arg-type]  # names and types are those of WAYS
    return bare.with_knowledge(replace(knowledge, parameters=parameters), machine)


def _speeds(
    machine: Machine, kinds: dict[str, Sequence[PlayerSpec]], states: np.ndarray, lanes: int
) -> Iterator[tuple[str, float]]:
    """Playouts per second of processor time of each kind, whose players take turns over the positions."""
    seeds = np.arange(len(states), dtype=np.uint64)
    for players in kinds.values():  # this makes the native scorers, before time is taken
        shortest = [replace(each, playouts=1) for each in players]
        search_arrays(machine, states[: len(players)], shortest, seeds[: len(players)])
    for kind, players in kinds.items():
        seated = [players[position % len(players)] for position in range(len(states))]
        begin = time.process_time()
        found = search_arrays(machine, states, seated, seeds, lanes=lanes)
        yield kind, float(found.playouts.sum()) / (time.process_time() - begin)
