"""A run's trial of learned values in searches of more playouts than the run's, where they may be worth less."""

from __future__ import annotations

from agent.search.seeds import derive_seed
from miner.learners.requests import PlayMatches, TryValues, ValuesTried
from miner.play.pairing import OPENING_PLIES
from miner.play.round_robin import RoundRobin
from miner.play.sprt import Sprt, Verdict
from miner.play.wording import count_matches, count_playouts, describe_points
from miner.results.store import VALUE_TRIAL
from miner.runs.baseline_matches import BaselineMatches, goals_of
from miner.runs.context import RunContext

__all__ = ["ValueTrial"]

_PHASE = "trial of values"
_ELO = 100.0  # lead of the baseline from which values do harm, in a test with errors of 5 %
_LOOK = 8  # pairs of matches between two checks of the test


class ValueTrial:
    """The trial of one run; matches that were played before an interruption are not played again."""

    def __init__(self, run: RunContext, matches: BaselineMatches) -> None:
        self._run = run
        self._matches = matches
        self._rounds = 0  # of matches of all trials

    def hold(self, request: TryValues) -> ValuesTried:
        """Let the values play, and add the result to value_trial.json."""
        deeper = self._matches.deeper(request.depth)
        test = Sprt(0.0, _ELO)  # of the baseline, which is player 0 and leads where values do harm
        seed = derive_seed(request.seed, "trial of values", request.entrant.name)
        pairing = RoundRobin(2, self._run.roles, request.matches, seed, test, OPENING_PLIES, look=_LOOK)
        budget = deeper.players.baseline_budget
        title = f"{request.entrant.name}, learned values in searches of {count_playouts(budget)}"
        while asked := pairing.ask():
            self._rounds += 1  # from 1, because the matches without knowledge are round 0 of the same step
            matches = tuple(match for pair in asked for match in pair.matches)
            played = deeper.play(PlayMatches(request.step, _PHASE, self._rounds, title, (request.entrant,), matches))
            pairing.tell(goals_of(played))
        [against] = pairing.pairings
        score, kept = against.score.turned(), test.decision(against.score) is not Verdict.stronger
        result = {
            "kept": kept,
            **score.as_json(),
            "playouts": deeper.players.playouts(request.entrant),
            "baseline_playouts": budget,
        }
        store = self._run.store
        store.write_json(VALUE_TRIAL, {**(store.read_json(VALUE_TRIAL) or {}), request.entrant.name: result})
        points = f"{describe_points(score)}, {count_matches(score.matches, score.draws)}"
        self._run.reporter.note(f"{title}: {points}: {'kept' if kept else 'too weak'}")
        return ValuesTried(kept)
