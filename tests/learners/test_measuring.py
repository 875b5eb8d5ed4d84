"""The best player of a learning curve: it changes when a test over all matches since then accepts the learner."""

import pytest

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.miner.learners.measuring import Best
from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.runs.entrant import Entrant
from tests.learners.driving import MAKER


def entrant(name: str) -> Entrant:
    return Entrant(name, MAKER.valued(Parameters(), 0, None))


def points(percent: int, matches: int = 100) -> Score:
    wins = matches * percent // 100
    return Score(wins, 0, matches - wins)


def after(*percents: int, ends: bool = False) -> Best:
    """Return the best after the steps 2, 3, … of a learner that had so many points against the best before each."""
    best = Best(entrant("s001"))
    for step, percent in enumerate(percents, 2):
        last = ends and step == len(percents) + 1
        best = best.met(entrant(f"s{step:03d}"), points(percent), last=last)
    return best


@pytest.mark.parametrize(
    ("percents", "name", "behind"),
    [
        ((70,), "s002", 0),
        ((53,), "s001", 0),
        ((50,), "s001", 1),
        ((48, 49, 47), "s001", 3),
        ((48, 49, 53), "s001", 0),  # it is ahead, and losses before count no longer
        ((52, 53, 53), "s004", 0),  # slow growth adds up
        ((53, 30), "s001", 1),
        ((70, 40), "s002", 1),
    ],
)
def test_the_best_changes_when_the_test_accepts_the_learner(percents: tuple[int, ...], name: str, behind: int) -> None:
    best = after(*percents)
    assert (best.entrant.name, best.behind) == (name, behind)


@pytest.mark.parametrize(
    ("percents", "name"), [((53,), "s002"), ((48,), "s001"), ((52, 53), "s003"), ((53, 20), "s001")]
)
def test_the_likelier_hypothesis_counts_when_learning_ends(percents: tuple[int, ...], name: str) -> None:
    assert after(*percents, ends=True).entrant.name == name


def test_what_the_test_says_is_told_in_words() -> None:
    first = Best(entrant("s001"))
    assert first.describe(None) == ""
    assert after(70).describe(first) == "the best is s002 in place of s001"
    assert after(45).describe(first) == "the best is still s001"
    assert after(52, 53).describe(first) == "the best is still s001, 52.5 % of 200 matches do not decide yet"
