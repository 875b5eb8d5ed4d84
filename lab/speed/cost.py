"""Playouts per second of searches with knowledge over those without, in one process and in turn."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.benchmark import random_positions
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import search_arrays
from lab.speed.full_size import variants
from lab.tables import CellValue, Column

__all__ = ["COLUMNS", "WAYS", "measure_cost"]

# [way] the parameters that say where features act.
WAYS: dict[str, dict[str, int]] = {
    "selection": {"features_in_selection": True, "features_in_playouts": False},
    "late": {"features_in_selection": True, "features_in_playouts": False, "scoring_visits": 4},
    "first": {"features_in_selection": True, "features_in_playouts": True, "playout_moves": 2},
    "playouts": {"features_in_selection": True, "features_in_playouts": True},
}

COLUMNS = (
    Column("game", "game", 17),
    Column("features", "features", 8),
    Column("itemsets", "itemsets", 8),
    Column("bare_per_cpu_s", "bare/CPU s", 10),
    *(Column(f"{way}_{files}", f"{way} {files}", len(way) + 6, ".3f") for way in WAYS for files in ("one", "mixed")),
)

# Playouts of each search: as many as the clocks of the thesis allowed. Breakthrough is not among its games.
_DEPTHS = {
    "amazons.ext": 500,
    "breakthrough.ext": 1000,
    "checkers.ext": 90,
    "connectfour.ext": 11_000,
    "cubicup.ext": 1400,
    "othello.ext": 30,
}
_OTHER = 200
# Upper limit where knowledge draws moves of playouts: these take so long that a few of them show their cost.
_DRAWN = 100
# Least number of playouts of a batch, about: fewer end too soon to be timed.
_TIMED = 200_000


def measure_cost(
    name: str, machine: Machine, knowledge: Knowledge, *, rounds: int, lanes: int, playouts: int = 0, seed: int = 1
) -> dict[str, CellValue]:
    """Search the same positions without knowledge and in every way with it: one file, and all its variants.

    Each figure is the median over `rounds` of the ratio within a round; time is processor time of this process, and
    files are compiled before it is taken. `playouts` 0 means the game's usual number.
    """
    depth = playouts or _DEPTHS.get(name, _OTHER)
    kinds, bases = _kinds(machine, knowledge, depth)
    searches = lanes * max(1, round(_TIMED / depth / lanes))
    speeds: dict[str, list[float]] = {kind: [] for kind in kinds}
    for turn in range(rounds):
        states = random_positions(machine, searches, derive_seed(seed, turn))
        for kind, speed in _speeds(machine, kinds, states, lanes):
            speeds[kind].append(speed)
    lists = [*knowledge.winning, *knowledge.losing]
    ratios = {
        kind: median(speed / alone for speed, alone in zip(speeds[kind], speeds[base], strict=True))
        for kind, base in bases.items()
    }
    return {
        "game": name,
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
