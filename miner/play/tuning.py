"""The exploration constant of bare UCT, tuned for a game by matches, so that knowledge meets a fair rival.

Candidates around the usual constant meet it in rounds, after each of which the better half goes on; the strongest by
rating is taken, and the usual one where none is stronger. Ask/tell, as the tournament of a generation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agent.knowledge import Parameters
from agent.search.player import PlayerSpec
from miner.play.pairing import MatchRequest
from miner.play.rating import BASELINE
from miner.play.tournament import Tournament, TournamentPlan

__all__ = ["CANDIDATES", "USUAL", "Tuning"]

USUAL = Parameters.uct_c
CANDIDATES = (14.0, 20.0, 28.0, 57.0, 80.0)  # factors of about the square root of 2
_ROUNDS = 2
_GROWTH = 2.0
_PRIOR_SD = 100.0  # Elo; neighbours on the scale differ little


class Tuning:
    """Use: `while matches := t.ask(): t.tell(goals of them)`. Player 0 has the usual constant."""

    def __init__(self, roles: int, matches_per_candidate: float, seed: int) -> None:
        plan = TournamentPlan(len(CANDIDATES), roles, matches_per_candidate, _ROUNDS, _GROWTH)
        self._tournament = Tournament(plan, seed, 0, _PRIOR_SD)

    @staticmethod
    def players(playouts: int, expansions: float, max_states: int = 0) -> tuple[PlayerSpec, ...]:
        """Bare UCT with the usual constant and with those of the candidates."""
        return tuple(
            PlayerSpec("uct", Parameters(uct_c=c, expansions=expansions), playouts=playouts, max_states=max_states)
            for c in (USUAL, *CANDIDATES)
        )

    def ask(self) -> tuple[MatchRequest, ...]:
        """The matches of the next round; none when the constant is found."""
        return tuple(match for pair in self._tournament.ask() for match in pair.matches)

    def tell(self, goals: Mapping[str, Sequence[int]]) -> None:
        """Takes the goals of every match asked for."""
        self._tournament.tell(goals)

    @property
    def uct_c(self) -> float:
        """The constant found."""
        best = self._tournament.ranking()[0]
        return CANDIDATES[best - 1] if self._tournament.ratings()[best].elo > 0 else USUAL

    def as_json(self) -> dict[str, Any]:
        """The constant, and how every candidate did against the usual one."""
        scores, ratings = self._tournament.scores, self._tournament.ratings()
        return {
            "uct_c": self.uct_c,
            "against": USUAL,
            "candidates": [
                {
                    "uct_c": c,
                    "win_percent": round(scores[player].win_percent, 4),
                    "ci95": [round(end, 4) for end in scores[player].ci95],
                    "elo": round(ratings[player].elo, 2),
                    "elo_se": round(ratings[player].se, 2),
                    "n": scores[player].matches,
                }
                for player, c in enumerate(CANDIDATES, BASELINE + 1)
            ],
        }
