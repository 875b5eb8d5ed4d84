"""Matches for tests, whose names and seeds are numbers unless a test needs others."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search import PlayerSpec, play_matches
from gdl_miner.agent.search.records import MatchBatchRecord

RANDOM = PlayerSpec("random")


def played(
    machine: Machine,
    players: PlayerSpec | Sequence[PlayerSpec],
    seats: int | Sequence[Sequence[int]],
    seeds: Sequence[int] | None = None,
    **options: Any,
) -> MatchBatchRecord:
    """Return the record of matches. A number stands for as many matches in which the first player has all seats."""
    seats = [[0] * len(machine.roles)] * seats if isinstance(seats, int) else seats
    players = [players] if isinstance(players, PlayerSpec) else players
    names = [str(number) for number in range(len(seats))]
    return play_matches(machine, players, seats, range(len(seats)) if seeds is None else seeds, names, **options)


def both_ways(matches: int) -> list[list[int]]:
    """Return the seats of so many matches in which two players sit in turns."""
    return [[0, 1], [1, 0]] * (matches // 2)


def goals_of_first(record: MatchBatchRecord) -> NDArray[np.int32]:
    """Return the goals of player 0 in matches of two roles."""
    return np.where(record.players[:, 0] == 0, record.goals[:, 0], record.goals[:, 1])
