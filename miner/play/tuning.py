"""Tuning of bare UCT's exploration constant for a game by matches, so that knowledge meets a fair opponent.

Candidates around the usual constant play against it in rounds, and the better half goes on after each round. The result
is the strongest candidate by rating, or the usual constant where no candidate is stronger. The interface is ask/tell,
as in the tournament of a generation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.miner.play.pairing import MatchRequest
from gdl_miner.miner.play.rating import BASELINE
from gdl_miner.miner.play.tournament import Tournament, TournamentPlan

USUAL = Parameters.uct_c
CANDIDATES = (14.0, 20.0, 28.0, 57.0, 80.0)  # neighbours, USUAL among them, differ by a factor of about √2
_ROUNDS = 2
_GROWTH = 2.0
_PRIOR_SD = 100.0  # Elo; neighbouring constants differ little in strength


class Tuning:
    """One tuning. Player 0 has the usual constant. Use: `while matches := t.ask(): t.tell(goals of them)`."""

    def __init__(self, roles: int, matches_per_candidate: float, seed: int) -> None:
        plan = TournamentPlan(len(CANDIDATES), roles, matches_per_candidate, _ROUNDS, _GROWTH)
        self._tournament = Tournament(plan, seed, 0, _PRIOR_SD)

    @staticmethod
    def players(playouts: int, expansions: float, max_states: int = 0) -> tuple[PlayerSpec, ...]:
        """Return bare UCT with the usual constant, then with the constant of each candidate."""
        return tuple(
            PlayerSpec("uct", Parameters(uct_c=c, expansions=expansions), playouts=playouts, max_states=max_states)
            for c in (USUAL, *CANDIDATES)
        )

    def ask(self) -> tuple[MatchRequest, ...]:
        """Return the matches of the next round; none when the constant is found."""
        return tuple(match for pair in self._tournament.ask() for match in pair.matches)

    def tell(self, goals: Mapping[str, Sequence[int]]) -> None:
        """Take the goals of every match asked for."""
        self._tournament.tell(goals)

    @property
    def uct_c(self) -> float:
        """The constant found."""
        best = self._tournament.ranking()[0]
        return CANDIDATES[best - 1] if self._tournament.ratings()[best].elo > 0 else USUAL

    def as_json(self) -> dict[str, Any]:
        """Return the constant found and the result of every candidate against the usual constant."""
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
