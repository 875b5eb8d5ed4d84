"""Scores a knowledge file against bare UCT or another file: fresh pairs of matches, roles swapped, same seed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agent.reasoner.machine import Machine
from agent.search.player import PlayerSpec
from agent.search.seeds import derive_seed
from agent.search.uct import play_matches, search_positions
from miner.evolution.evaluation import play_pairs
from miner.evolution.pairing import make_pair
from miner.evolution.rating import Rating, Score, dispersion, fit_ratings

__all__ = ["ScoreReport", "measure_time_ratio", "score_players", "with_time"]

_PRIOR_SD = 400.0  # Elo
_BATCH = 256  # matches played together
_POSITIONS = 256  # searched in every turn of a measurement of time
_TURNS = 7
_TURN_S = 0.1  # least seconds for one side in one turn

Progress = Callable[[int], None]


@dataclass(frozen=True)
class ScoreReport:
    """Result of a scoring match."""

    score: Score
    rating: Rating
    playouts: int  # per move of the player
    opponent_playouts: int  # per move of the opponent
    time_ratio: float | None  # seconds per playout, player over opponent; None where it was not measured

    def as_json(self) -> dict[str, object]:
        """The published keys, in order."""
        return {
            "win_percent": round(self.score.win_percent, 4),
            "ci95": [round(end, 4) for end in self.score.ci95],
            "elo": round(self.rating.elo, 2),
            "elo_se": round(self.rating.se, 2),
            "n": self.score.matches,
            "wins": self.score.wins,
            "losses": self.score.losses,
            "draws": self.score.draws,
            "playouts": self.playouts,
            "time_ratio": None if self.time_ratio is None else round(self.time_ratio, 4),
        }


def score_players(
    machine: Machine,
    player: PlayerSpec,
    opponent: PlayerSpec,
    matches: int,
    seed: int,
    progress: Progress,
    time_ratio: float | None = None,
) -> ScoreReport:
    """Plays at least `matches` matches in whole pairs; `progress` is told how many were finished each time."""
    roles = len(machine.roles)
    group = max(2, roles)
    pairs = [
        make_pair(f"score-p{number:05d}", 1, derive_seed(seed, "score", number), roles)
        for number in range(-(-matches // group))
    ]
    score = Score()
    for first in range(0, len(pairs), max(1, _BATCH // group)):
        batch = pairs[first : first + max(1, _BATCH // group)]
        for each in play_pairs(machine, (opponent, player), batch):
            score += each
        progress(len(batch) * group)
    rating = fit_ratings(2, [(1, 0, score)], _PRIOR_SD, dispersion([score]))[1]
    return ScoreReport(score, rating, player.playouts, opponent.playouts, time_ratio)


def measure_time_ratio(machine: Machine, player: PlayerSpec, opponent: PlayerSpec, seed: int) -> float:
    """Seconds that the player takes for a playout over those of the opponent, measured in turns in this process.

    Both search the same positions of random matches with the same playouts; the turns keep other load on the machine
    from favouring one of them, and the median of the turns passes over what disturbs only some.
    """
    states, last_rows = _positions(machine, seed)
    specs = [replace(each, playouts=player.playouts) for each in (player, opponent)]
    ratios = []
    for turn in range(_TURNS):
        seeds = [derive_seed(seed, "time", turn, number) for number in range(len(states))]
        spent = [_search_time(machine, states, last_rows, spec, seeds) for spec in specs]
        ratios.append(spent[0] / spent[1])
    return float(np.median(ratios))


def with_time(opponent: PlayerSpec, ratio: float) -> PlayerSpec:
    """The opponent with as many playouts as fit into the player's time."""
    return replace(opponent, playouts=max(1, round(opponent.playouts * ratio)))


def _positions(machine: Machine, seed: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """States of random matches that are not final, and the joint moves that led there."""
    seats = np.zeros((_POSITIONS, len(machine.roles)), np.int32)
    seeds = [derive_seed(seed, "position", number) for number in range(_POSITIONS)]
    names = [str(number) for number in range(_POSITIONS)]
    record = play_matches(machine, [PlayerSpec("random")], seats, seeds, names)
    open_steps = np.setdiff1d(np.arange(len(record.states)), record.start[1:] - 1)
    chosen = open_steps[np.linspace(0, len(open_steps) - 1, min(_POSITIONS, len(open_steps))).astype(np.int64)]
    return record.states[chosen], record.last_rows()[chosen]


def _search_time(
    machine: Machine, states: NDArray[np.uint64], last_rows: NDArray[np.int32], spec: PlayerSpec, seeds: list[int]
) -> float:
    """Seconds for a search of every position, at least a moment's worth."""
    begun, rounds = time.perf_counter(), 0
    while rounds == 0 or time.perf_counter() - begun < _TURN_S:
        search_positions(machine, states, spec, seeds, last_rows=last_rows)
        rounds += 1
    return (time.perf_counter() - begun) / rounds
