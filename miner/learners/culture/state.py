"""The state of a learner of culture between two steps, as a value and as JSON."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.miner.learners.culture.beliefs import Believed, RoleBeliefs
from gdl_miner.miner.learners.culture.pheromone import Trails
from gdl_miner.miner.learners.curve.state import CurveState, unpack_curve_state
from gdl_miner.miner.training.forages import Population

__all__ = ["ColonyState", "CultureState", "StepTotals", "unpack_state"]


@dataclass(frozen=True)
class StepTotals:
    """The games of a step, how far values were off, and the fitness of the best."""

    games: int = 0
    moves: int = 0
    broken_off: int = 0
    squared_error: float = 0.0  # sum over all updates
    updates: int = 0
    fitness: tuple[float, ...] = ()  # [role] of the fittest player


@dataclass(frozen=True, eq=False)
class ColonyState:
    """The players of all species and what they share."""

    population: Population
    numbers: tuple[int, ...]  # [player] permanent number, which no other player ever has
    born: int  # number of players so far
    trails: Trails | None  # None where there are no ants
    beliefs: tuple[RoleBeliefs, ...]  # [role], empty where there are no beliefs


@dataclass(frozen=True, kw_only=True)
class CultureState(CurveState):
    """Everything that a learner of culture needs to go on as if never interrupted."""

    colony: ColonyState | None = None
    totals: StepTotals = StepTotals()  # of the step before, which is measured in this one

    def pack(self) -> dict[str, Any]:
        """Return the state as a JSON object; the knowledge of players is in the files of the step."""
        totals = self.totals
        return {
            **super().pack(),
            "colony": None if self.colony is None else _pack_colony(self.colony),
            "totals": [
                totals.games,
                totals.moves,
                totals.broken_off,
                totals.squared_error,
                totals.updates,
                list(totals.fitness),
            ],
        }


def unpack_state(packed: dict[str, Any], knowledge: Callable[[int, str], Knowledge]) -> CultureState:
    """Return the state that `CultureState.pack` packed; `knowledge(step, name)` reads the file of a player.

    Raises OtherVersionError where another version packed it; ValueError, KeyError or TypeError where `pack` cannot have
    made the value.
    """
    fields = unpack_curve_state(packed, knowledge)
    games, moves, broken_off, squared_error, updates, fitness = packed["totals"]
    totals = StepTotals(games, moves, broken_off, squared_error, updates, tuple(fitness))
    colony = None if packed["colony"] is None else _unpack_colony(packed["colony"])
    return CultureState(**fields, colony=colony, totals=totals)


def _pack_colony(colony: ColonyState) -> dict[str, Any]:
    trails = colony.trails
    return {
        "players": len(colony.numbers),
        "population": [_pack(each, "<f4") for each in colony.population],
        "numbers": list(colony.numbers),
        "born": colony.born,
        "trails": None
        if trails is None
        else {
            "roles": len(trails.pheromone),
            "pheromone": [_pack(each, "<f4") for each in (trails.pheromone, trails.move_pheromone)],
            "counts": [
                _pack(each, "<i8") for each in (trails.goals, trails.count, trails.move_goals, trails.move_count)
            ],
        },
        "beliefs": [
            {
                "most": space.most,
                "eviction": space.eviction,
                "states": [_pack_believed(state, each) for state, each in space.states.items()],
            }
            for space in colony.beliefs
        ],
    }


def _unpack_colony(packed: Mapping[str, Any]) -> ColonyState:
    players = int(packed["players"])
    population = Population(*(_unpack(each, "<f4").reshape(players, -1) for each in packed["population"]))
    trails = None
    if packed["trails"] is not None:
        roles = int(packed["trails"]["roles"])
        pheromone, moves = (_unpack(each, "<f4") for each in packed["trails"]["pheromone"])
        goals, count, move_goals, move_count = (_unpack(each, "<i8") for each in packed["trails"]["counts"])
        trails = Trails(
            pheromone.reshape(roles, -1),
            moves,
            goals.reshape(roles, -1),
            count.reshape(roles, -1),
            move_goals,
            move_count,
        )
    beliefs = tuple(
        RoleBeliefs(int(each["most"]), float(each["eviction"]), dict(map(_unpack_believed, each["states"])))
        for each in packed["beliefs"]
    )
    return ColonyState(population, tuple(map(int, packed["numbers"])), int(packed["born"]), trails, beliefs)


def _pack_believed(state: bytes, believed: Believed) -> list[Any]:
    influences = [[player, *scores] for player, scores in believed.influences.items()]
    return [state.hex(), believed.goals, believed.games, influences]


def _unpack_believed(packed: list[Any]) -> tuple[bytes, Believed]:
    state, goals, games, influences = packed
    return bytes.fromhex(state), Believed(
        int(goals), int(games), {int(player): (int(own), int(count)) for player, own, count in influences}
    )


def _pack(array: NDArray[Any], kind: str) -> str:
    return base64.b64encode(zlib.compress(array.astype(kind).tobytes(), 1)).decode()


def _unpack(text: str, kind: str) -> NDArray[Any]:
    try:
        content = zlib.decompress(base64.b64decode(text, validate=True))
    except zlib.error as error:
        raise ValueError(f"an array is damaged: {error}") from None
    return np.frombuffer(content, kind).astype(np.dtype(kind).newbyteorder("="))
