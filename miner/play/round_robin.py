"""A round robin: pairs of matches with swapped seats between all players, with an ask/tell interface.

In a game with more than two roles a pairing is played both ways: each of the two players takes every role once, against
copies of the other player in all other roles.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.pairing import PairedMatches, make_pair
from gdl_miner.miner.play.rating import RatingTable, Score, dispersion, fit_table
from gdl_miner.miner.play.sprt import Sprt, Verdict

__all__ = ["Pairing", "RoundRobin"]

_LOOK = 16  # pairs that a pairing plays between two checks of its sequential test


@dataclass(frozen=True)
class Pairing:
    """Two players and their result against each other."""

    player: int
    opponent: int
    score: Score  # score of the player
    verdict: Verdict


class RoundRobin:
    """A tournament of all pairings. Player 0 is the origin of the scale.

    Use: `while pairs := t.ask(): t.tell(goals of their matches)`. Without `sprt` every pairing plays `matches` matches;
    with it a pairing ends as soon as the test is decided. The matches of a pair begin with the same `opening_plies`
    joint moves, which are drawn at random. The test is checked after every `look` pairs of a pairing.
    """

    def __init__(
        self,
        players: int,
        roles: int,
        matches: int,
        seed: int,
        sprt: Sprt | None = None,
        opening_plies: int = 0,
        look: int = _LOOK,
    ) -> None:
        self._roles = roles
        self._seed = seed
        self._sprt = sprt
        self._opening_plies = opening_plies
        self._look = look
        self._both_ways = roles > 2
        group = max(2, roles) * (2 if self._both_ways else 1)
        self._pairs = -(-matches // group)  # pairs that each pairing plays at most
        self._scores = {pairing: Score() for pairing in itertools.combinations(range(players), 2)}
        self._played = dict.fromkeys(self._scores, 0)
        self._asked: tuple[PairedMatches, ...] = ()
        self._players = players

    @property
    def most_matches(self) -> int:
        """The number of matches if no test stops a pairing early."""
        return self._pairs * max(2, self._roles) * (2 if self._both_ways else 1) * len(self._scores)

    @property
    def pairings(self) -> tuple[Pairing, ...]:
        """All pairings with their scores so far."""
        return tuple(
            Pairing(player, opponent, score, self._sprt.verdict(score) if self._sprt else Verdict.undecided)
            for (player, opponent), score in self._scores.items()
        )

    def score_of(self, player: int) -> Score:
        """Return a player's score against all others."""
        total = Score()
        for (one, other), score in self._scores.items():
            if one == player:
                total += score
            elif other == player:
                total += score.turned()
        return total

    def ratings(self, prior_sd: float) -> RatingTable:
        """Fit the strengths to all matches so far."""
        results = [(player, opponent, score) for (player, opponent), score in self._scores.items()]
        return fit_table(self._players, results, prior_sd, dispersion(self._scores.values()))

    def ask(self) -> tuple[PairedMatches, ...]:
        """Return the next pairs of every pairing that goes on; none when all pairings are decided.

        The answer stays the same until the results are told.
        """
        if not self._asked:
            self._asked = tuple(
                pair
                for pairing in self._scores
                if self._goes_on(pairing)
                for number in range(self._played[pairing], self._next_look(pairing))
                for pair in self._both(pairing, number)
            )
        return self._asked

    def tell(self, goals: Mapping[str, Sequence[int]]) -> None:
        """Take the goals of every match asked for. Raises KeyError where one is missing."""
        told = [(pair.player, pair.opponent, pair.score(goals)) for pair in self._asked]
        for player, opponent, score in told:
            if player < opponent:
                self._scores[player, opponent] += score
            else:
                self._scores[opponent, player] += score.turned()
        for pairing in {(min(one, other), max(one, other)) for one, other, _ in told}:
            self._played[pairing] = self._next_look(pairing)
        self._asked = ()

    def _goes_on(self, pairing: tuple[int, int]) -> bool:
        if self._played[pairing] >= self._pairs:
            return False
        return self._sprt is None or self._sprt.verdict(self._scores[pairing]) is Verdict.undecided

    def _next_look(self, pairing: tuple[int, int]) -> int:
        return self._pairs if self._sprt is None else min(self._pairs, self._played[pairing] + self._look)

    def _both(self, pairing: tuple[int, int], number: int) -> tuple[PairedMatches, ...]:
        player, opponent = pairing
        ways = ((player, opponent), (opponent, player)) if self._both_ways else (pairing,)
        return tuple(
            make_pair(
                f"m{one:03d}-{other:03d}-p{number:05d}",
                one,
                derive_seed(self._seed, "round robin", min(one, other), max(one, other), number),
                self._roles,
                opponent=other,
                opening_plies=self._opening_plies,
            )
            for one, other in ways
        )
