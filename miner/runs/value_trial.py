"""A run's trial of learned values in searches of more playouts than the run's, where they may be worth less."""

from __future__ import annotations

from agent.search.seeds import derive_seed
from miner.learners.requests import PlayMatches, TrialVerdict, TryValues, ValuesTried
from miner.play.pairing import OPENING_PLIES
from miner.play.rating import Score
from miner.play.round_robin import RoundRobin
from miner.play.sprt import Sprt, Verdict
from miner.play.wording import count_playouts, describe_result
from miner.results.store import VALUE_TRIAL
from miner.runs.baseline_matches import BaselineMatches, goals_of
from miner.runs.context import RunContext

__all__ = ["ValueTrial"]

_PHASE = "trial of values"
# Both tests are of the lead of the baseline, in Elo, with errors of 5 %.
_AHEAD = Sprt(-100.0, 0.0)  # the values are 100 Elo ahead, or at most even
_BEHIND = Sprt(0.0, 100.0)  # the values are at least even, or 100 Elo behind


class ValueTrial:
    """The trial of one run; matches that were played before an interruption are not played again."""

    def __init__(self, run: RunContext, matches: BaselineMatches) -> None:
        self._run = run
        self._matches = matches
        self._rounds = 0  # of matches of all trials

    def hold(self, request: TryValues) -> ValuesTried:
        """Let the values play, and add the result to value_trial.json."""
        deeper = self._matches.deeper(request.depth)
        seed = derive_seed(request.seed, "trial of values", request.entrant.name)
        pairing = RoundRobin(2, self._run.roles, request.matches, seed, _AHEAD, OPENING_PLIES)
        budget = deeper.players.baseline_budget
        title = f"{request.entrant.name}, learned values in searches of {count_playouts(budget)}"
        while asked := pairing.ask():
            self._rounds += 1  # from 1, because the matches without knowledge are round 0 of the same step
            matches = tuple(match for pair in asked for match in pair.matches)
            played = deeper.play(PlayMatches(request.step, _PHASE, self._rounds, title, (request.entrant,), matches))
            pairing.tell(goals_of(played))
        [against] = pairing.pairings
        score, verdict = against.score.turned(), _verdict(against.score)
        result = {
            "verdict": verdict,
            **score.as_json(),
            "playouts": deeper.players.playouts(request.entrant),
            "baseline_playouts": budget,
        }
        store = self._run.store
        store.write_json(VALUE_TRIAL, {**(store.read_json(VALUE_TRIAL) or {}), request.entrant.name: result})
        self._run.reporter.note(f"{title}: {describe_result(score)}: {verdict}")
        return ValuesTried(verdict, score.points / score.matches)


def _verdict(baseline: Score) -> TrialVerdict:
    """Return the likeliest of three statements about values, whose opponent has this score."""
    if _AHEAD.decision(baseline) is Verdict.not_stronger:
        return "ahead"
    return "behind" if _BEHIND.decision(baseline) is Verdict.stronger else "even"
