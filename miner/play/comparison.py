"""Is A better than B? Pairs of matches between two players, or between all of several, under a rule that ends them.

A sequential probability ratio test stops as soon as the results are decisive. It accepts one of two hypotheses about
the Elo lead of a player. Its log-likelihood ratio assumes that the points of pairs are normally distributed with the
observed variance, as testers of chess programs do (generalised SPRT).

Source: Wald 1945; Page 1954 (continuous inspection schemes); Van den Bergh 2020 (a practical introduction to the
GSPRT).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from typing import TypeAlias

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.pairing import MatchRequest, PairedMatches, make_pair
from gdl_miner.miner.play.rating import RatingTable, Score, dispersion, expected_score, fit_table


class Verdict(StrEnum):
    """The verdict of a test so far."""

    stronger = "H1"
    not_stronger = "H0"
    undecided = "open"


@dataclass(frozen=True)
class Sprt:
    """A test of H1, the lead is at least `elo1`, against H0, the lead is at most `elo0`.

    Raises ValueError where the hypotheses are in the wrong order or an error rate is no probability below 1/2.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05  # probability of accepting H1 where H0 holds
    beta: float = 0.05  # probability of accepting H0 where H1 holds

    def __post_init__(self) -> None:
        if not -math.inf < self.elo0 < self.elo1 < math.inf:
            raise ValueError(f"the first Elo value must be the smaller one, not {self.elo0:g} and {self.elo1:g}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"error rates lie between 0 and 0.5, not {self.alpha:g} and {self.beta:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios below and above which a hypothesis is accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, score: Score) -> float:
        """Return the logarithm of how much more likely the score is under H1 than under H0."""
        if score.matches == 0:
            return 0.0
        low, high = expected_score(self.elo0), expected_score(self.elo1)
        mean = (score.points + 0.5) / (score.matches + 1)  # one more drawn match keeps the variance above 0
        variance = mean * (1 - mean) * dispersion([score])
        return (high - low) * (2 * score.points - score.matches * (low + high)) / (2 * variance)

    def verdict(self, score: Score) -> Verdict:
        """Return the hypothesis that the score supports well enough to accept it, or `undecided`."""
        ratio, (low, high) = self.log_likelihood_ratio(score), self.bounds
        if ratio >= high:
            return Verdict.stronger
        return Verdict.not_stronger if ratio <= low else Verdict.undecided

    def decision(self, score: Score) -> Verdict:
        """Return the hypothesis under which the score is likelier, for a test that ends here (truncated: Wald 1945)."""
        return Verdict.stronger if self.log_likelihood_ratio(score) > 0 else Verdict.not_stronger


@dataclass(frozen=True)
class LearnerTest:
    """A test of whether a learner has become stronger than a player who stays as it is (Page 1954).

    The results of the learner add up over its steps until the test accepts H1. Where H0 is as likely, the test begins
    anew, so that early losses do not count against a learner for ever.
    """

    test: Sprt
    score: Score = field(default_factory=Score)  # of the learner, since the test began

    def followed_by(self, score: Score) -> LearnerTest:
        """Return the test after a further step, in which the learner had this score."""
        after = self.score + score
        ahead = self.test.decision(after) is Verdict.stronger
        return LearnerTest(self.test, after if ahead else Score())

    @property
    def verdict(self) -> Verdict:
        """`stronger`: H1 is accepted; `undecided`: H1 is the likelier so far; `not_stronger`: the test begins anew."""
        return self.test.verdict(self.score) if self.score.matches else Verdict.not_stronger


@dataclass(frozen=True)
class ComparisonRule:
    """How two players are compared: pairs of matches with swapped seats, until a test is decided or all are played.

    In a game with more than two roles a comparison is played both ways: each of the two players takes every role once,
    against copies of the other player in all other roles.
    """

    matches: int  # at least so many, in whole pairs; with a test at most so many
    test: Sprt | None = None
    opening_plies: int = 0  # joint moves at the beginning of a pair's matches that are drawn at random
    look: int = 16  # pairs between two checks of the test

    def pairs(self, roles: int) -> int:
        """Return the largest number of pairs, each in both ways where there are more than two roles."""
        return -(-self.matches // _group(roles))

    def most_matches(self, players: int, roles: int) -> int:
        """Return the number of matches of a round robin if no test ends a comparison early."""
        return self.pairs(roles) * _group(roles) * (players * (players - 1) // 2)


@dataclass(frozen=True)
class Comparison:
    """Two players, and the result of the first against the second."""

    player: int
    opponent: int
    score: Score
    verdict: Verdict  # of the test, whose errors are bounded; `undecided` without one

    @property
    def turned(self) -> Score:
        """The score of the opponent."""
        return self.score.turned()


@dataclass(frozen=True)
class RoundRobin:
    """The comparisons of all pairings of some players. Player 0 is the origin of the scale."""

    players: int
    comparisons: tuple[Comparison, ...]

    def score_of(self, player: int) -> Score:
        """Return a player's score against all others."""
        own = (each.score for each in self.comparisons if each.player == player)
        other = (each.turned for each in self.comparisons if each.opponent == player)
        return sum((*own, *other), start=Score())

    def ratings(self) -> RatingTable:
        """Fit the strengths to all matches."""
        results = [(each.player, each.opponent, each.score) for each in self.comparisons]
        return fit_table(self.players, results, dispersion=dispersion(each.score for each in self.comparisons))


PlayMatches: TypeAlias = Callable[[Sequence[MatchRequest]], Mapping[str, Sequence[int]]]
"""It plays matches, whose seats name players by number, and returns the goals of every role by match id."""


def compare(roles: int, rule: ComparisonRule, seed: int, play: PlayMatches) -> Comparison:
    """Find out whether player 0 is better than player 1.

    Args:
        roles: the number of roles of the game.
        rule: when the comparison ends.
        seed: of the matches.
        play: plays them.
    """
    [comparison] = round_robin(2, roles, rule, seed, play).comparisons
    return comparison


def round_robin(
    players: int,
    roles: int,
    rule: ComparisonRule,
    seed: int,
    play: PlayMatches,
    pairings: Collection[tuple[int, int]] | None = None,
) -> RoundRobin:
    """Compare each player with each other; comparisons whose test is decided end, and the others go on.

    `play` is called with the pairs of all comparisons that go on, up to the next check of their tests. `pairings` are
    those that are compared, where these are not all; the smaller number of a pairing comes first.
    """
    scores = {each: Score() for each in (combinations(range(players), 2) if pairings is None else sorted(pairings))}
    played, most, step = 0, rule.pairs(roles), rule.look if rule.test else rule.pairs(roles)
    while played < most:
        until = min(most, played + step)
        pairs = [
            pair
            for pairing, score in scores.items()
            if rule.test is None or rule.test.verdict(score) is Verdict.undecided
            for number in range(played, until)
            for pair in _pairs(pairing, number, roles, rule, seed)
        ]
        if not pairs:
            break
        goals = play([match for pair in pairs for match in pair.matches])
        for pair in pairs:
            if pair.player < pair.opponent:
                scores[pair.player, pair.opponent] += pair.score(goals)
            else:
                scores[pair.opponent, pair.player] += pair.score(goals).turned()
        played = until
    return RoundRobin(
        players,
        tuple(
            Comparison(player, opponent, score, rule.test.verdict(score) if rule.test else Verdict.undecided)
            for (player, opponent), score in scores.items()
        ),
    )


def _group(roles: int) -> int:
    """Return the number of matches of a pair, in both ways where there are more than two roles."""
    return max(2, roles) * (2 if roles > 2 else 1)


def _pairs(
    pairing: tuple[int, int], number: int, roles: int, rule: ComparisonRule, seed: int
) -> Iterator[PairedMatches]:
    player, opponent = pairing
    for one, other in ((player, opponent), (opponent, player))[: 2 if roles > 2 else 1]:
        yield make_pair(
            f"m{one:03d}-{other:03d}-p{number:05d}",
            one,
            derive_seed(seed, "round robin", player, opponent, number),
            roles,
            opponent=other,
            opening_plies=rule.opening_plies,
        )
