from hypothesis import given
from hypothesis import strategies as st

from gdl_miner.miner.results.terminal_plots import blocks, whisker


def test_a_whisker_marks_value_interval_and_middle() -> None:
    assert whisker(75, 50, 100, (0, 100), 21, 25) == "     ┊    ├────●────┤"


@given(st.lists(st.floats(0, 100), min_size=3, max_size=3), st.integers(1, 80))
def test_a_whisker_is_as_wide_as_asked_and_shows_its_value(ends: list[float], width: int) -> None:
    low, value, high = sorted(ends)
    line = whisker(value, low, high, (-1, 101), width, 50)
    assert len(line) == width
    assert line.count("●") == 1


def test_blocks_rise_with_the_values() -> None:
    assert blocks([0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█"


def test_equal_values_are_equal_blocks() -> None:
    assert blocks([3, 3]) == "▄▄"
    assert blocks([]) == ""
