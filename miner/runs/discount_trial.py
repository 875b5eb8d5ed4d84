"""A run's trial of discounts: values that were learned with each of them play against each other."""

from __future__ import annotations

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.learners.requests import DiscountsTried, PlayMatches, TryDiscounts
from gdl_miner.miner.play.pairing import OPENING_PLIES
from gdl_miner.miner.play.round_robin import RoundRobin
from gdl_miner.miner.play.wording import count_playouts, describe_result
from gdl_miner.miner.runs.baseline_matches import BaselineMatches
from gdl_miner.miner.runs.context import RunContext
from gdl_miner.miner.runs.trial_matches import play_trial

__all__ = ["DiscountTrial"]

_PHASE = "trial of discounts"


class DiscountTrial:
    """The trial of one run; matches that were played before an interruption are not played again."""

    def __init__(self, run: RunContext, matches: BaselineMatches) -> None:
        self._run = run
        self._matches = matches

    def hold(self, request: TryDiscounts) -> DiscountsTried:
        """Let all entrants play against each other."""
        deeper = self._matches.deeper(request.depth)
        seed = derive_seed(request.seed, _PHASE)
        tournament = RoundRobin(
            len(request.entrants), self._run.roles, request.matches, seed, opening_plies=OPENING_PLIES
        )
        title = f"trial of discounts in searches of {count_playouts(deeper.players.baseline_budget)}"
        play_trial(tournament, deeper, PlayMatches(request.step, _PHASE, 0, title, request.entrants, ()))
        scores = [tournament.score_of(player) for player in range(len(request.entrants))]
        for entrant, score in zip(request.entrants, scores, strict=True):
            self._run.reporter.note(f"{title}: {entrant.name}: {describe_result(score)}")
        return DiscountsTried(tuple(score.points / score.matches for score in scores))
