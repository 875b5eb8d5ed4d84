import io

import pytest
from rich.console import Console

from gdl_miner.miner.play.rating import Rating, Score
from gdl_miner.miner.play.wording import describe_score
from gdl_miner.miner.runs.reporting import LiveReporter, LogReporter, MatchRate, Reporter, reporter_for


def test_a_pipe_gets_one_plain_line_per_event() -> None:
    stream = io.StringIO()
    reporter = reporter_for(stream)
    reporter.working("mining")
    reporter.playing("generation 3, round 2 of 2", 4, 1)
    reporter.close()
    lines = stream.getvalue().splitlines()
    assert isinstance(reporter, LogReporter)
    assert [line.partition("] ")[2] for line in lines] == [
        "mining",
        "generation 3, round 2 of 2: 4 matches, 1 of them kept",
    ]
    assert "\x1b" not in stream.getvalue()


@pytest.mark.parametrize("terminal", [False, True])
def test_names_from_others_move_no_cursor_and_set_no_colour(terminal: bool) -> None:
    stream = io.StringIO()
    reporter = LiveReporter(Console(file=stream, force_terminal=True, width=140)) if terminal else LogReporter(stream)
    reporter.note("\x1b[2J[red]evil")
    reporter.close()
    assert r"\x1b[2J[red]evil" in stream.getvalue()


def test_a_terminal_shows_the_count_of_matches() -> None:
    stream = io.StringIO()
    reporter: Reporter = LiveReporter(Console(file=stream, force_terminal=True, width=140))
    reporter.playing("generation 3, round 2 of 2", 4, 1)
    reporter.played(2)
    reporter.close()
    assert "3/4" in stream.getvalue()


def test_the_rest_is_estimated_from_the_matches_played_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("gdl_miner.miner.runs.reporting.time.monotonic", lambda: clock[0])
    pace = MatchRate(total=50, done=10)
    assert pace.text() == ""
    clock[0] += 5.0
    pace.add(20)
    assert pace.text() == "4.0 matches/s, 5 s left"


def test_a_score_is_described_as_the_field_does() -> None:
    said = describe_score(Score(60, 10, 30), Rating(105.2, 33.7))
    assert said == "65.0 % (95 %: 55.8–73.2), Elo +105 ± 34, 100 matches, 10 drawn"
