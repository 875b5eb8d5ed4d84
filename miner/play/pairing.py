"""Pairs of matches with swapped seats, and the score that their goals give the player under test.

A pair (with more than two roles, a group) lets the player under test take every role once against the same opponent
with the same seed, so that neither the better seat nor luck in the seed favours anyone. In a game of one role the
player and the opponent each play alone, and their goals are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gdl_miner.miner.play.rating import BASELINE, Score

OPENING_PLIES = 4  # moves drawn at random before players choose that would else repeat one match, as those with values


@dataclass(frozen=True)
class MatchRequest:
    """One match to play. Its result depends on the rules, the players, the seed and the length of its opening only."""

    id: str
    seats: tuple[int, ...]  # index of the player of each role, without the role that moves by chance
    seed: int
    opening_plies: int = 0  # joint moves at the beginning that are drawn at random, by the seed


@dataclass(frozen=True)
class PairedMatches:
    """The matches in which `player` takes every role once against `opponent`."""

    player: int
    opponent: int
    matches: tuple[MatchRequest, ...]

    def score(self, goals: Mapping[str, Sequence[int]]) -> Score:
        """Return wins, draws and losses of the player; `goals` has the goals of the seats for every match id."""
        if len(self.matches[0].seats) == 1:
            own, other = (_goal(goals[match.id][0]) for match in self.matches)
            return match_score((own, other), 0).as_group()
        total = Score()
        for match in self.matches:
            total += match_score(goals[match.id], match.seats.index(self.player))
        return total.as_group()


def make_pair(
    name: str, player: int, seed: int, roles: int, opponent: int = BASELINE, opening_plies: int = 0
) -> PairedMatches:
    """Return a pair of the matches `name`-s0, `name`-s1, …, one for every role.

    All of them begin with the same joint moves, `opening_plies` of them, which are drawn at random. Where there is one
    role, they begin at the initial state.
    """
    if roles == 1:
        seats: list[tuple[int, ...]] = [(player,), (opponent,)]
        opening_plies = 0
    else:
        seats = [tuple(player if role == seat else opponent for role in range(roles)) for seat in range(roles)]
    requests = [MatchRequest(f"{name}-s{seat}", players, seed, opening_plies) for seat, players in enumerate(seats)]
    return PairedMatches(player, opponent, tuple(requests))


def match_score(goals: Sequence[int], role: int) -> Score:
    """Return the result of `role`, whose goal is compared with that of each other role.

    Players of equal strength therefore have half of the points in the mean, whatever the number of roles. A goal that
    the rules leave open counts as 0.
    """
    own = _goal(goals[role])
    others = [_goal(goal) for other, goal in enumerate(goals) if other != role]
    ahead = sum((own > other) - (own < other) for other in others)
    points = 0.5 + 0.5 * ahead / len(others)
    if ahead > 0:
        return Score(wins=1, between=points - 1.0)
    return Score(draws=1) if ahead == 0 else Score(losses=1, between=points)


def _goal(goal: int) -> int:
    return max(0, int(goal))
