"""A run's trials of learned values in searches of more playouts than the run's, where they may be worth less."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.learners.requests import (
    LongSearchesTried,
    PlayMatches,
    TrialVerdict,
    TryLongSearches,
    TryValues,
    ValuesTried,
)
from gdl_miner.miner.play.pairing import OPENING_PLIES
from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.play.round_robin import RoundRobin
from gdl_miner.miner.play.sprt import Sprt, Verdict
from gdl_miner.miner.play.wording import count_playouts, describe_result
from gdl_miner.miner.results.store import LONG_TRIAL, VALUE_TRIAL
from gdl_miner.miner.runs.baseline_matches import BaselineMatches
from gdl_miner.miner.runs.context import RunContext
from gdl_miner.miner.runs.trial_matches import play_trial

__all__ = ["ValueTrial"]

_PHASE = "trial of values"
# The first two tests are of the lead of the baseline, in Elo, all with errors of 5 %.
_AHEAD = Sprt(-100.0, 0.0)  # the values are 100 Elo ahead, or at most even
_BEHIND = Sprt(0.0, 100.0)  # the values are at least even, or 100 Elo behind
_MIXED = Sprt(-50.0, 150.0)  # of the lead of mixed values over values alone
_LOOK = 8  # pairs between two checks of this test, because long searches take long


class ValueTrial:
    """The trials of one run; matches that were played before an interruption are not played again."""

    def __init__(self, run: RunContext, matches: BaselineMatches) -> None:
        self._run = run
        self._matches = matches
        self._round = 1  # of the next matches; those without knowledge are round 0 of the same step

    def hold(self, request: TryValues) -> ValuesTried:
        """Let the values play against the baseline, and add the result to value_trial.json."""
        deeper = self._matches.deeper(request.depth)
        seed = derive_seed(request.seed, "trial of values", request.entrant.name)
        pairing = RoundRobin(2, self._run.roles, request.matches, seed, _AHEAD, OPENING_PLIES)
        budget = deeper.players.baseline_budget
        title = f"{request.entrant.name}, learned values in searches of {count_playouts(budget)}"
        wanted = PlayMatches(request.step, _PHASE, self._round, title, (request.entrant,), ())
        self._round = play_trial(pairing, deeper, wanted, with_baseline=True)
        [against] = pairing.pairings
        score, verdict = against.score.turned(), _verdict(against.score)
        self._write(
            request.entrant.name,
            {
                "verdict": verdict,
                **score.as_json(),
                "playouts": deeper.players.playouts(request.entrant),
                "baseline_playouts": budget,
            },
        )
        self._run.reporter.note(f"{title}: {describe_result(score)}: {verdict}")
        return ValuesTried(verdict, score.points / score.matches)

    def hold_long(self, request: TryLongSearches) -> LongSearchesTried:
        """Let values mixed with playouts play against values alone, and add the result to value_trial.json."""
        deeper = self._matches.deeper(request.depth)
        seed = derive_seed(request.seed, "trial of values in long searches")
        pairing = RoundRobin(2, self._run.roles, request.matches, seed, _MIXED, OPENING_PLIES, _LOOK)
        budget = deeper.players.baseline_budget
        title = f"values mixed with playouts against values alone in searches of {count_playouts(budget)}"
        entrants = (request.mixed, request.alone)
        self._round = play_trial(pairing, deeper, PlayMatches(request.step, _PHASE, self._round, title, entrants, ()))
        [mixed] = pairing.pairings
        stronger = _MIXED.decision(mixed.score) is Verdict.stronger
        trusted = request.trusted_playouts if stronger else 0
        playouts = {entrant.name: deeper.players.playouts(entrant) for entrant in entrants}
        self._write(
            LONG_TRIAL,
            {
                "trusted_playouts": trusted,
                **mixed.score.as_json(),
                "playouts": playouts,
                "baseline_playouts": budget,
            },
        )
        use = f"mixed in searches of more than {count_playouts(trusted)}" if stronger else "alone in all searches"
        self._run.reporter.note(f"{title}: {describe_result(mixed.score)}: {use}")
        return LongSearchesTried(stronger)

    def _write(self, name: str, result: Mapping[str, Any]) -> None:
        store = self._run.store
        store.write_json(VALUE_TRIAL, {**(store.read_json(VALUE_TRIAL) or {}), name: result})


def _verdict(baseline: Score) -> TrialVerdict:
    """Return the likeliest of three statements about values, whose opponent has this score."""
    if _AHEAD.decision(baseline) is Verdict.not_stronger:
        return "ahead"
    return "behind" if _BEHIND.decision(baseline) is Verdict.stronger else "even"
