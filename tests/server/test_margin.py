import pytest

from gdl_miner.agent.server.running_match import Margin


@pytest.mark.parametrize(("clock", "kept"), [(0.3, 0.15), (1.0, 0.25), (20.0, 1.2)])
def test_without_lateness_a_margin_is_a_fifth_of_a_second_and_a_twentieth(clock: float, kept: float) -> None:
    assert Margin()(clock) == pytest.approx(kept)


def test_a_margin_grows_with_lateness_to_most_of_the_clock_and_forgets_it() -> None:
    margin = Margin()
    margin.note(0.1)
    assert margin(2.0) == pytest.approx(0.4)
    margin.note(9.0)
    assert margin(2.0) == pytest.approx(1.4)
    for _ in range(1200):
        margin.note(-0.1)
    assert margin(2.0) == pytest.approx(0.3)


def test_what_the_user_keeps_back_is_the_least() -> None:
    margin = Margin(0.05)
    assert margin(1.0) == 0.05
    margin.note(0.05)
    assert margin(1.0) == pytest.approx(0.2)
