"""The tournament of a generation: rounds of pairs against one opponent; the better half goes on after each round.

Results of earlier rounds keep counting. The strongest individuals, which influence the next generation most, are
therefore measured most exactly, with about half the matches of an equal allocation. The interface is ask/tell: the
tournament names the matches that it needs, and its caller plays them.

Source: thesis 6.3.2; successive halving: Karnin, Koren & Somekh 2013.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.pairing import PairedMatches, make_pair
from gdl_miner.miner.play.rating import BASELINE, Rating, Score, dispersion, fit_ratings


@dataclass(frozen=True)
class TournamentPlan:
    """The size and the rounds of a tournament."""

    players: int  # individuals; they are the players 1..players
    roles: int
    matches_per_player: float  # mean over all players and rounds
    rounds: int = 0  # most rounds to play; 0: until one individual is left
    growth: float = 1.0  # pairs per individual grow by this factor from round to round
    opponent: int = BASELINE  # number of the player whom all meet: the baseline, or one after the individuals
    opening_plies: int = 0  # moves drawn at random at the beginning of each pair of matches

    def sizes(self) -> tuple[int, ...]:
        """Return the number of individuals in play [round]."""
        sizes = [self.players]
        while sizes[-1] > 2 and (self.rounds == 0 or len(sizes) < self.rounds):
            sizes.append((sizes[-1] + 1) // 2)
        return tuple(sizes)

    def pairs(self) -> tuple[int, ...]:
        """Return the pairs that each individual in play plays against the opponent [round]; at least one."""
        sizes = self.sizes()
        weighted = sum(size * self.growth**number for number, size in enumerate(sizes))
        first = self.players * self.matches_per_player / (max(2, self.roles) * weighted)
        return tuple(max(1, round(first * self.growth**number)) for number in range(len(sizes)))


class Tournament:
    """A tournament with halving. Use: `while pairs := t.ask(): t.tell(goals of their matches)`."""

    def __init__(self, plan: TournamentPlan, seed: int, generation: int, prior_sd: float) -> None:
        self._plan = plan
        self._seed = seed
        self._generation = generation
        self._prior_sd = prior_sd
        self._in_play = tuple(range(1, plan.players + 1))
        self._round = 0
        self._asked: tuple[PairedMatches, ...] = ()
        self._scores = [Score() for _ in range(plan.players + 1)]
        self._rounds = [0] * (plan.players + 1)

    @property
    def round(self) -> int:
        """The number of finished rounds."""
        return self._round

    @property
    def rounds(self) -> int:
        """The number of planned rounds."""
        return len(self._plan.sizes())

    @property
    def scores(self) -> tuple[Score, ...]:
        """Scores against the opponent so far [player]; that of player 0 stays empty."""
        return tuple(self._scores)

    @property
    def rounds_played(self) -> tuple[int, ...]:
        """The number of rounds that each player took part in [player]."""
        return tuple(self._rounds)

    def ratings(self) -> tuple[Rating, ...]:
        """Fit the strengths to all matches so far [player]; the opponent's strength is 0, and stands first."""
        results = [(player, 0, score) for player, score in enumerate(self._scores) if player]
        return fit_ratings(self._plan.players + 1, results, self._prior_sd, dispersion(self._scores))

    def ranking(self) -> tuple[int, ...]:
        """Return the players, best first: by rounds played, then by rating, then by number.

        A player that went out early was measured in few matches, and its rating, perhaps a lucky one, must not lift it
        above the survivors.
        """
        ratings, rounds = self.ratings(), self._rounds
        players = range(1, self._plan.players + 1)
        return tuple(sorted(players, key=lambda player: (-rounds[player], -ratings[player].elo, player)))

    def ask(self) -> tuple[PairedMatches, ...]:
        """Return the pairs of the next round; none when the tournament is over.

        The answer stays the same until the results are told.
        """
        if not self._asked and self._round < self.rounds:
            pairs = self._plan.pairs()
            first = sum(pairs[: self._round])
            self._asked = tuple(
                self._pair(player, number)
                for player in self._in_play
                for number in range(first, first + pairs[self._round])
            )
        return self._asked

    def tell(self, goals: Mapping[str, Sequence[int]]) -> None:
        """Take the goals of every match asked for. Raises KeyError where one is missing."""
        played = [(pair.player, pair.score(goals)) for pair in self._asked]
        for player, score in played:
            self._scores[player] += score
        for player in self._in_play:
            self._rounds[player] += 1
        self._round += 1
        self._asked = ()
        in_play = set(self._in_play)
        ranked = [player for player in self.ranking() if player in in_play]
        self._in_play = tuple(sorted(ranked[: (len(ranked) + 1) // 2]))

    def _pair(self, player: int, number: int) -> PairedMatches:
        name = f"g{self._generation:03d}-i{player:03d}-p{number:04d}"
        seed = derive_seed(self._seed, "tournament", self._generation, player, number)
        plan = self._plan
        return make_pair(name, player, seed, plan.roles, plan.opponent, plan.opening_plies)
