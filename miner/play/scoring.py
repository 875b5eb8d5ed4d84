"""Scoring of a knowledge file against bare UCT or another file, in fresh pairs of matches with swapped roles."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import search_arrays
from gdl_miner.miner.play.cost_model import PositionSample, equal_playouts
from gdl_miner.miner.play.match_tasks import play_pairs
from gdl_miner.miner.play.pairing import OPENING_PLIES, make_pair
from gdl_miner.miner.play.rating import Rating, Score, rate
from gdl_miner.miner.play.wording import describe_score

_BATCH = 256  # matches played together
_POSITIONS = 256  # positions searched in every turn of a time measurement
_MOST_PLAYOUTS = 1000  # upper limit for these searches; the time of a playout hardly depends on the number of playouts
_TURNS = 7
_TURN_S = 0.1  # least seconds for one side in one turn

MatchProgress = Callable[[int], None]


class Equal(StrEnum):
    """The quantity that both sides get equally."""

    work = "work"
    time = "time"
    playouts = "playouts"


@dataclass(frozen=True)
class ScoreReport:
    """The result of scoring a player against an opponent."""

    score: Score
    rating: Rating
    playouts: int  # per move of the player
    opponent_playouts: int  # per move of the opponent
    equal: str  # the quantity that both sides get equally: "work", "time" or "playouts"
    ratio: float  # the player's amount of this quantity per playout, divided by the opponent's

    def __str__(self) -> str:
        return describe_score(self.score, self.rating)

    def as_json(self) -> dict[str, object]:
        """Return the published keys, in order."""
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
            "time_ratio": self._ratio_of("time"),
            "work_ratio": self._ratio_of("work"),
            "opponent_playouts": self.opponent_playouts,
        }

    def _ratio_of(self, what: str) -> float | None:
        return round(self.ratio, 4) if self.equal == what else None


def usual_opening(player: PlayerSpec, opponent: PlayerSpec) -> int:
    """Return how many moves drawn at random their matches begin with, so that they do not repeat one match.

    These are some where both have values of states, and none where at least one leaves its playouts to chance.
    """
    return 0 if player.values is None or opponent.values is None else OPENING_PLIES


def score_equally(
    machine: Machine,
    sample: PositionSample,
    player: PlayerSpec,
    opponent: PlayerSpec,
    matches: int,
    seed: int,
    played: MatchProgress,
    equal: Equal,
    opening_plies: int | None = None,
) -> ScoreReport:
    """Score a player that gets as many playouts as `equal` says against those of the opponent; see `score_players`.

    `opening_plies` are by default those of `usual_opening`.
    """
    ratio = cost_ratio(machine, sample, player, opponent, equal, seed)
    player = replace(player, playouts=equal_playouts(opponent.playouts, ratio))
    opening_plies = usual_opening(player, opponent) if opening_plies is None else opening_plies
    return score_players(machine, player, opponent, matches, seed, played, equal, ratio, opening_plies=opening_plies)


def cost_ratio(
    machine: Machine, sample: PositionSample, player: PlayerSpec, opponent: PlayerSpec, equal: Equal, seed: int
) -> float:
    """Return the cost of the player's playout divided by the cost of the opponent's, in what `equal` names."""
    if equal is Equal.playouts:
        return 1.0
    if equal is Equal.time:
        return measure_time_ratio(machine, player, opponent, seed)
    return sample.work_ratio(player, opponent)


def score_players(
    machine: Machine,
    player: PlayerSpec,
    opponent: PlayerSpec,
    matches: int,
    seed: int,
    progress: MatchProgress,
    equal: str = "playouts",
    ratio: float = 1.0,
    move_limit: int = 0,
    opening_plies: int = 0,
) -> ScoreReport:
    """Play at least `matches` matches in whole pairs; the matches of a pair have the same seed.

    They begin with `opening_plies` moves drawn at random, the same in both. A match that lasts `move_limit` joint moves
    is broken off as a draw; 0: no limit.
    `progress` is called with the number of matches of every finished batch.
    """
    roles = len(machine.circuit.choosing_roles)
    group = max(2, roles)
    pairs = [
        make_pair(f"score-p{number:05d}", 1, derive_seed(seed, "score", number), roles, opening_plies=opening_plies)
        for number in range(-(-matches // group))
    ]
    score = Score()
    for first in range(0, len(pairs), max(1, _BATCH // group)):
        batch = pairs[first : first + max(1, _BATCH // group)]
        for each in play_pairs(machine, (opponent, player), batch, move_limit):
            score += each
        progress(len(batch) * group)
    rating = rate(score)
    return ScoreReport(score, rating, player.playouts, opponent.playouts, equal, ratio)


def measure_time_ratio(machine: Machine, player: PlayerSpec, opponent: PlayerSpec, seed: int) -> float:
    """Measure the time of the player's playouts relative to the opponent's, in turns in this process.

    Both search the same positions of random matches with the same number of playouts. They take turns, so that other
    load on the machine favours neither of them, and the median over the turns ignores disturbances of single turns.
    """
    sample = PositionSample(machine, _POSITIONS, seed)
    playouts = min(player.playouts, _MOST_PLAYOUTS)
    specs = [replace(each, playouts=playouts) for each in (player, opponent)]
    ratios = []
    for turn in range(_TURNS):
        seeds = [derive_seed(seed, "time", turn, number) for number in range(len(sample.states))]
        spent = [_search_time(machine, sample, spec, seeds) for spec in specs]
        ratios.append(spent[0] / spent[1])
    return float(np.median(ratios))


def _search_time(machine: Machine, sample: PositionSample, spec: PlayerSpec, seeds: list[int]) -> float:
    """Return the processor seconds of one search of every position, measured over at least `_TURN_S` seconds."""
    begun, rounds = time.process_time(), 0
    while rounds == 0 or time.process_time() - begun < _TURN_S:
        search_arrays(machine, sample.states, spec, seeds, last_rows=sample.last_rows)
        rounds += 1
    return (time.process_time() - begun) / rounds
