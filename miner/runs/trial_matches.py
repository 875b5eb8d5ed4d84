"""The matches of a run's trials: a round robin of entrants, with or without the baseline."""

from __future__ import annotations

from dataclasses import replace

from gdl_miner.miner.learners.requests import PlayMatches
from gdl_miner.miner.play.pairing import MatchRequest
from gdl_miner.miner.play.round_robin import RoundRobin
from gdl_miner.miner.runs.baseline_matches import BaselineMatches, goals_of

__all__ = ["play_trial"]


def play_trial(
    tournament: RoundRobin, matches: BaselineMatches, request: PlayMatches, *, with_baseline: bool = False
) -> int:
    """Play a round robin to its end.

    Args:
        tournament: the round robin, which is told all results. Its player i is the i-th entrant from 0; with the
            baseline that is player 0, and entrants follow.
        matches: the matches of the run, with the playouts of the trial.
        request: the entrants and the first round, without matches. No other matches of its step may have a round from
            this one on, because kept results are found again by step and round.
        with_baseline: whether the baseline takes part.

    Returns:
        The next round of the step.
    """
    number = request.round
    while asked := tournament.ask():
        chosen = (match for pair in asked for match in pair.matches)
        wanted = tuple(chosen) if with_baseline else tuple(map(_without_baseline, chosen))
        tournament.tell(goals_of(matches.play(replace(request, round=number, matches=wanted))))
        number += 1
    return number


def _without_baseline(match: MatchRequest) -> MatchRequest:
    """Return the match with players as in PlayMatches, where player 0 is the baseline, which does not play."""
    return replace(match, seats=tuple(player + 1 for player in match.seats))
