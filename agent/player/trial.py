"""Trials of knowledge: quick matches that show whether it helps, and whether more learning made it better.

Values win the more matches the fewer playouts a search makes. Values that do not win clearly at some dozens of playouts
would therefore lose at the many thousands of a real clock. Values that win with fewer than some dozens may lose there.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gdl_miner.agent import _native
from gdl_miner.agent.features.native_tables import KnowledgeTables
from gdl_miner.agent.player.thought import TreeReport
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import play_arrays

LEAST_PLAYOUTS = 8  # for a move of the opponent in the first batch of matches
DEEPER = 4  # times as many playouts as in the batch before
MATCHES = 32  # matches in a batch
BATCHES = 2  # largest number of batches with the same playouts
CLEAR_WIN = 0.6  # share of the goals with which values pass a trial
MOST_MOVES = 1000  # of a match, which is then broken off and counts 0 for all
OPENING_PLIES = 4  # random plies at the start of matches, which would repeat one match where values replace playouts
_RATING_S = 0.1  # time in which the playouts of a player are counted
_IN_FLIGHT = 32  # playouts at once then, about as many as matches are played at once


class Trial(NamedTuple):
    """The result of a trial."""

    share: float  # mean goal of the player that was tried, as a share of its own and that of the others
    matches: int
    playouts: int  # for a move of the opponent in these matches
    own_playouts: int = 0  # for a move of the player that was tried

    @property
    def passed(self) -> bool:
        """Whether the player that was tried won clearly."""
        return self.share >= CLEAR_WIN

    def __str__(self) -> str:
        return f"{self.share:.0%} of the goals in {self.matches} quick matches"


class Contestant(NamedTuple):
    """A player of a trial: how it searches, and the tables of its features if it has any."""

    seat: PlayerSpec
    tables: KnowledgeTables | None = None

    def spec(self, playouts: int) -> PlayerSpec:
        """Return the player with so many playouts for a move."""
        seat = self.seat
        return PlayerSpec(playouts=playouts, parameters=seat.parameters, values=seat.values, tables=self.tables)


def try_against(
    machine: Machine,
    tried: Contestant,
    opponent: Contestant,
    *,
    length: float,
    seconds: float,
    seed: int,
    most_playouts: int,
) -> Trial | None:
    """Play matches of a player against an opponent, who both have the same time for a move.

    The game has at least two roles that choose. The opponent has a few playouts for a move at first, and more as long
    as the time that the last batch of matches took leaves room for them, up to `most_playouts`. Only the deepest
    batches count. `length` is the number of joint moves of a usual match, which tells the time of the first batch.

    Return None where the seconds are too few for that batch.
    """
    end = time.perf_counter() + seconds
    rate, opponent_rate = _rate(machine, tried.seat), _rate(machine, opponent.seat)
    if not _fits(length, opponent_rate, end - time.perf_counter()):
        return None
    playouts, shares = min(LEAST_PLAYOUTS, most_playouts), list[float]()
    while True:
        begin = time.perf_counter()
        players = [tried.spec(max(1, round(playouts * rate / opponent_rate))), opponent.spec(playouts)]
        seeds = [derive_seed(seed, "trial", playouts, len(shares), match) for match in range(MATCHES)]
        shares.append(_share(machine, players, seeds))
        now = time.perf_counter()
        deeper = min(DEEPER * playouts, most_playouts)
        if deeper > playouts and now + (now - begin) * deeper / playouts <= end:
            playouts, shares = deeper, []
        elif len(shares) == BATCHES or 2 * now - begin > end:
            return Trial(float(np.mean(shares)), MATCHES * len(shares), playouts, players[0].playouts)


def meet(machine: Machine, tried: Contestant, opponent: Contestant, *, playouts: int, seed: int) -> Trial:
    """Play a batch of matches with so many playouts for a move of the opponent; both have the same time for a move."""
    own = max(1, round(playouts * _rate(machine, tried.seat) / _rate(machine, opponent.seat)))
    seeds = [derive_seed(seed, "meeting", playouts, match) for match in range(MATCHES)]
    return Trial(_share(machine, [tried.spec(own), opponent.spec(playouts)], seeds), MATCHES, playouts, own)


def leaves_time(machine: Machine, opponent: PlayerSpec, *, length: float, seconds: float) -> bool:
    """Return whether so many seconds are enough for a trial; it takes a moment to find out how fast the opponent is."""
    return _fits(length, _rate(machine, opponent), seconds)


def compare_values(
    machine: Machine, newer: _native.ValueFunction, older: _native.ValueFunction, *, matches: int, seed: int
) -> float:
    """Return the share of the goals that newer values have in matches against older ones, both without a search."""
    players = [PlayerSpec(values=values).greedy() for values in (newer, older)]
    seeds = [derive_seed(seed, "comparison", match) for match in range(matches)]
    return _share(machine, players, seeds)


def _share(machine: Machine, players: Sequence[PlayerSpec], seeds: Sequence[int]) -> float:
    """Play a match for each seed; the first player has one role, the second one all others.

    Return the mean goal of the first player as a share of its own and that of the second.
    """
    choosing = list(machine.circuit.choosing_roles)
    seats = np.ones((len(seeds), len(machine.roles)), np.int32)
    seats[np.arange(len(seeds)), np.resize(choosing, len(seeds))] = 0
    played = play_arrays(machine, players, seats, seeds, opening_plies=OPENING_PLIES, move_limit=MOST_MOVES)
    goals = np.maximum(played.goals, 0)[:, choosing]
    first = seats[:, choosing] == 0
    own, others = float(np.mean(goals[first])), float(np.mean(goals[~first]))
    return own / (own + others) if own + others else 0.5


def _fits(length: float, opponent_rate: float, seconds: float) -> bool:
    """Return whether there is time for the first batch of matches of so many joint moves."""
    return 2 * MATCHES * length * LEAST_PLAYOUTS / opponent_rate <= seconds


def _rate(machine: Machine, player: PlayerSpec) -> float:
    """Return the playouts a second of one search of the initial position, at least 1."""
    thinker = _native.Thinker(machine.native, replace(player, in_flight=_IN_FLIGHT), machine.circuit.choosing_roles[0])
    begin = time.perf_counter()
    report = TreeReport(*thinker.think(machine.initial(), np.empty(0, np.int32), 0, 0, _RATING_S))
    return max(1.0, report.playouts / (time.perf_counter() - begin))
