"""The step of a learner whose players are measured by matches, one after the other.

    learning → [ matches against bare UCT, the best before and random moves → end of the step ] → learning …

Learning always goes on from the latest player. The best stays the best until a sequential test finds the learner
stronger. The test has the matches of all players since the best, so slow growth shows, too. At the end of learning the
likelier of its two hypotheses counts. `scripts/lab best-so-far` simulates the errors of this rule.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Protocol

from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.miner.play.comparison import LearnerTest, Sprt, Verdict
from gdl_miner.miner.play.pairing import PairedMatches, make_pair
from gdl_miner.miner.play.rating import BASELINE, Score, rate
from gdl_miner.miner.results.tables import Measures, score_measures
from gdl_miner.miner.runs.entrant import Entrant
from gdl_miner.miner.runs.matches import play_matches
from gdl_miner.miner.runs.steps import end_step, keep_players
from gdl_miner.miner.runs.task import Task

_STRONGER = LearnerTest(Sprt(-50.0, 50.0))  # the learner is 50 Elo stronger than the best, or as much weaker


class CurveMatches(Protocol):
    """The settings of the matches that make a learning curve."""

    @property
    def steps(self) -> int:
        """The largest number of steps."""

    @property
    def matches(self) -> int:
        """The least number of matches after each step against bare UCT, and of those against the best before."""

    @property
    def opening_plies(self) -> int:
        """The number of moves drawn at random at the beginning of these matches."""

    @property
    def random_matches(self) -> int:
        """The least number of matches after each step against random moves."""


def matches_of(settings: CurveMatches, steps: int) -> int:
    """Return how many matches measure the players of so many steps."""
    return steps * (2 * settings.matches + settings.random_matches)


@dataclass(frozen=True)
class StepTraining:
    """The training that a step measures."""

    games: int
    moves: int
    broken_off: int  # games that the move limit ended
    rms_error: float | None  # of what was predicted, such as values of states; None where nothing was


@dataclass(frozen=True)
class Best:
    """The best player of a learning curve so far, and the test of the learner since then."""

    entrant: Entrant
    test: LearnerTest = _STRONGER
    behind: int = 0  # latest steps in a row with which the test began anew

    def met(self, entrant: Entrant, score: Score, *, last: bool) -> Best:
        """Return the best after a step.

        Args:
            entrant: the player of the step.
            score: of this player against the best.
            last: whether learning ends, and with it the test.
        """
        test = self.test.followed_by(score)
        ahead = test.verdict is Verdict.undecided
        if test.verdict is Verdict.stronger or (last and ahead):
            return Best(entrant)
        return Best(self.entrant, test, 0 if ahead else self.behind + 1)

    def describe(self, before: Best | None) -> str:
        """Return what the test says of the best before, in words; empty where there was none."""
        if before is None:
            return ""
        old, known = before.entrant.name, self.test.score
        if self.entrant.name != old:
            return f"the best is {self.entrant.name} in place of {old}"
        if self.behind:
            return f"the best is still {old}"
        open_test = f"{known.win_percent:.1f} % of {known.matches} matches do not decide yet"
        return f"the best is still {old}, {open_test}"


def measure(
    settings: CurveMatches,
    seed: int,
    roles: int,
    step: int,
    entrant: Entrant,
    best: Best | None,
    training: StepTraining,
    own: Measures,
) -> Generator[Task[Any], Any, Best]:
    """Measure the player of a step, end the step, and return the best now.

    Args:
        settings: the matches.
        seed: of the run.
        roles: the number of roles of the game.
        step: the step, from 1.
        entrant: its player.
        best: the best before, whom the player meets; None before there is one.
        training: what the player was trained with.
        own: what the learner itself has measured of the player.
    """
    players = (entrant,) if best is None else (entrant, best.entrant)
    yield from Task(keep_players, step, players)

    def pairs(name: str, opponent: int, matches: int) -> list[PairedMatches]:
        return [
            make_pair(
                f"g{step:03d}-{name}-p{number:04d}",
                1,
                derive_seed(seed, "measuring", name, step, number),
                roles,
                opponent,
                settings.opening_plies,
            )
            for number in range(-(-matches // max(2, roles)))
        ]

    groups = (
        pairs("baseline", BASELINE, settings.matches),
        [] if best is None else pairs("past", 2, settings.matches),
        pairs("random", len(players) + 1, settings.random_matches),
    )
    matches = tuple(match for group in groups for pair in group for match in pair.matches)
    results = yield from Task(
        play_matches, step, "measuring", 0, f"step {step}", players, matches, with_random=bool(groups[2])
    )
    baseline, past, random = (sum((pair.score(results.goals) for pair in group), start=Score()) for group in groups)
    rating = rate(baseline)
    now = Best(entrant) if best is None else best.met(entrant, past, last=step == settings.steps)
    values = entrant.knowledge.values
    measured: Measures = {
        "games": training.games,
        "moves": training.moves,
        "broken_off": training.broken_off,
        "rms_error": training.rms_error,
        "features": entrant.knowledge.n_features or None,
        "weights": None if values is None else values.n_weights,
        **own,
        **score_measures(baseline),
        "elo": rating.elo,
        "elo_se": rating.se,
        **score_measures(past, "past_"),
        **score_measures(random, "random_"),
    }
    against = ((baseline, "bare UCT"), (past, "the best before"), (random, "random moves"))
    said = [f"{score.win_percent:.1f} % against {name}" for score, name in against if score.matches]
    yield from Task(
        end_step,
        step,
        {entrant.name: measured},
        {},
        now.entrant.name,
        summary=f"step {step}: {'; '.join(each for each in (', '.join(said), now.describe(best)) if each)}",
        standing=f"{baseline.win_percent:.1f} %",
        last=entrant.name,
    )
    return now
