import io
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.miner.commands.inspect import work_of
from gdl_miner.miner.learners.evolution import EVOLUTION
from gdl_miner.miner.play.executor import MachineProgress, TaskProgress, WorkProgress
from gdl_miner.miner.play.rating import Rating, Score, rate
from gdl_miner.miner.play.wording import describe_score
from gdl_miner.miner.results.store import WORK, RunStore
from gdl_miner.miner.runs.driver import plan_in_words
from gdl_miner.miner.runs.entrant import Validation
from gdl_miner.miner.runs.method import method_named
from gdl_miner.miner.runs.reporting import LiveReporter, LogReporter, Reporter, WorkPace, reporter_for
from gdl_miner.miner.runs.settings import read_settings
from gdl_miner.miner.runs.setup import new_run, run_content


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
    reporter.played(2, 10)
    reporter.close()
    assert "3/4" in stream.getvalue()


@pytest.mark.parametrize("width", [80, 140])
def test_long_words_do_not_hide_the_time_that_is_left(width: int) -> None:
    stream = io.StringIO()
    reporter: Reporter = LiveReporter(Console(file=stream, force_terminal=True, width=width))
    reporter.step("", "the best so far has 61.2 % of the points against bare UCT")
    reporter.playing("generation 3 of 12: the best of all islands meet once more with ten times the playouts", 4000, 0)
    reporter.played(200, 4000)
    reporter.progress(WorkProgress(12, (TaskProgress(5, 16), TaskProgress(5, 16)), 2))
    reporter.close()
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue()).replace("\r", "\n").splitlines()
    [*_, last] = [line for line in lines if "210/4000" in line]
    assert re.search(r"[0-9.]+ matches/s, \d+ s left", last)
    assert last.startswith(("⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"))
    assert "generat" in last
    assert "the best" in last.split("left")[1] or width == 80
    assert max(map(len, lines)) <= width


def test_the_rest_is_estimated_from_matches_played_and_the_moves_of_those_that_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [100.0]
    monkeypatch.setattr("gdl_miner.miner.runs.reporting.time.monotonic", lambda: clock[0])
    pace = WorkPace(total=50, kept=10)
    assert pace.text() == ""
    clock[0] += 5.0
    pace.add(20, 600)
    assert pace.text() == "4.0 matches/s, 5 s left"
    pace.work = WorkProgress(1, (TaskProgress(2, 10, 150), TaskProgress(0, 10, 150)), 2)
    assert pace.ended == 32
    assert pace.text() == "6.0 matches/s, 2 s left; 2 tasks at work, 1 waiting"
    assert str(pace) == f"18 matches to go, 5 s so far, {pace.text()}"
    pace.add(10, 300)  # the first of them has ended, and counts once
    assert pace.ended == 40
    assert pace.work.running == (TaskProgress(0, 10, 150),)


def test_a_log_says_which_tasks_and_machines_are_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, stream = [100.0], io.StringIO()
    monkeypatch.setattr("gdl_miner.miner.runs.reporting.time.monotonic", lambda: clock[0])
    monkeypatch.setattr("gdl_miner.miner.runs.reporting.os.getloadavg", lambda: (7.5, 0, 0))
    reporter = LogReporter(stream)
    reporter.working("training 3 networks")
    reporter.progress(WorkProgress(3, (), 0))
    clock[0] += 11.0
    reporter.progress(WorkProgress(3, (), 0))
    clock[0] += 11.0
    machines = (MachineProgress("10.0.0.2", 1, 1), MachineProgress("10.0.0.3", 0, 1))
    reporter.progress(WorkProgress(0, (TaskProgress(5, 16),), 2, machines))
    assert [line.partition("] ")[2] for line in stream.getvalue().splitlines()] == [
        "training 3 networks",
        "  11 s so far, 3 tasks wait; no worker has begun one yet (this machine has a load of 7.5)",
        "  22 s so far, 1 task at work (5 of 16 parts); 10.0.0.2: 1 at work, 1 done; 10.0.0.3: 0 at work, 1 done",
    ]


def test_those_who_inspect_a_run_read_what_is_at_work_and_nothing_that_is_old(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    store.checkpoints.mkdir()
    assert work_of(tmp_path) == ""
    store.write_work(WorkProgress(1, (TaskProgress(),), 2))
    assert work_of(tmp_path) == "1 task at work, 1 waiting"
    os.utime(tmp_path / WORK, (0, 0))
    assert work_of(tmp_path) == ""


def test_a_run_says_before_it_begins_how_many_processors_its_tasks_keep_busy(tmp_path: Path) -> None:
    machine, config = load_machine("tictactoe.ext"), read_settings(EVOLUTION.settings, "quick")
    content = run_content(EVOLUTION, config, machine.sheet, "tictactoe.ext", "quick")
    setup = new_run(tmp_path / "run", content, config, machine, [])
    assert plan_in_words(setup, 6, 1) == (
        "offers 6 tasks of 0.3 s in the largest generation and 1 task of 8 s in the last, 0.2 min in all at least: "
        "they keep 28 % of 6 processors busy"
    )
    assert plan_in_words(setup, 6, 3).endswith("0.1 min in all at least: they keep 43 % of 6 processors busy")
    assert plan_in_words(replace(setup, method=method_named("gifl")), 6, 3) == ""


def test_a_score_is_described_as_the_field_does() -> None:
    said = describe_score(Score(60, 10, 30), Rating(105.2, 33.7))
    assert said == "65.0 % (95 %: 55.8–73.2), Elo +105 ± 34, 100 matches, 10 drawn"


def test_a_champion_whose_matches_are_all_drawn_sends_the_author_to_the_check() -> None:
    for score, told in ((Score(draws=8), True), (Score(wins=2, losses=4, draws=2), False), (Score(wins=8), False)):
        stream = io.StringIO()
        LogReporter(stream).validated(Validation("g001-i001", score, rate(score)))
        assert ("all matches were drawn: `agent check` tells" in stream.getvalue()) is told
        assert ("no knowledge helps" in stream.getvalue()) is (score.wins < 8)
