import numpy as np
import pytest

from gdl_miner.miner.play.rating import Score
from gdl_miner.miner.play.sprt import Sprt, Verdict
from tests.play.test_coverage_of_intervals import Truth


def decide(test: Sprt, truth: Truth, rng: np.random.Generator) -> tuple[Verdict, int]:
    """Return the verdict on a player of known strength and the number of matches before it."""
    score = Score()
    while (verdict := test.verdict(score)) is Verdict.undecided:
        score += truth.play(16, rng)
    return verdict, score.matches


@pytest.mark.parametrize("draws", [0.0, 0.5])
def test_wrong_verdicts_are_as_rare_as_promised(draws: float) -> None:
    rng = np.random.default_rng(7)
    test = Sprt(0.0, 60.0)

    def wrong(elo: float, verdict: Verdict) -> float:
        truth = Truth(elo / (1 - draws), draws=draws)  # the points show a lead of elo
        return sum(decide(test, truth, rng)[0] is verdict for _ in range(400)) / 400

    assert wrong(0.0, Verdict.stronger) <= 0.08
    assert wrong(60.0, Verdict.not_stronger) <= 0.08


def test_a_clear_lead_is_settled_with_few_matches() -> None:
    rng = np.random.default_rng(8)
    test = Sprt(0.0, 30.0)
    clear = [decide(test, Truth(300.0), rng)[1] for _ in range(50)]
    close = [decide(test, Truth(15.0), rng)[1] for _ in range(20)]
    assert np.mean(clear) < 120 < 500 < np.mean(close)


def test_a_test_that_has_to_end_takes_what_is_likelier() -> None:
    test = Sprt(-50.0, 0.0)  # 42.9 and 50 %; the middle is 46.4
    for wins, decision in ((47, Verdict.stronger), (46, Verdict.not_stronger)):
        score = Score(wins=wins, losses=100 - wins)
        assert test.verdict(score) is Verdict.undecided
        assert test.decision(score) is decision
    for wins in (20, 80):
        score = Score(wins=wins, losses=100 - wins)
        assert test.decision(score) is test.verdict(score)


def test_no_match_decides_nothing() -> None:
    assert Sprt(0.0, 10.0).verdict(Score()) is Verdict.undecided


@pytest.mark.parametrize("arguments", [(10.0, 0.0), (5.0, 5.0), (0.0, 10.0, 0.6), (0.0, 10.0, 0.05, 0.0)])
def test_impossible_hypotheses_are_refused(arguments: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match=r"smaller one|error rates"):
        Sprt(*arguments)
