import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gdl_miner.agent.errors import ConfigError, MoveError, RecordError
from gdl_miner.agent.gdl import parse_sheet, read_sheet
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.record_xml import read_records
from gdl_miner.agent.server.interpreted_seat import InterpretedSeat
from gdl_miner.agent.server.interpreter_process import History, InterpreterProcess
from gdl_miner.agent.server.record_folder import RecordFolder
from tests.server.attacks import COUNTER

OPENINGS = [f"(mark {x} {y} x)" for x in range(1, 4) for y in range(1, 4)]


def begun(records: RecordFolder | None = None, process: InterpreterProcess | None = None) -> InterpretedSeat:
    """Return a seat of tic-tac-toe whose process has begun."""
    return ready(InterpretedSeat(read_sheet("tictactoe.ext"), "X", 1, records, process))


def ready(seat: InterpretedSeat) -> InterpretedSeat:
    """Wait until the process of a seat has begun, which takes seconds on a busy processor."""
    assert seat._pipe.poll(60)
    return seat


@pytest.fixture
def seat() -> Iterator[InterpretedSeat]:
    seat = begun()
    yield seat
    seat.close()


def test_moves_are_followed_and_a_win_in_one_is_found(seat: InterpretedSeat) -> None:
    seat.advance(None)
    for joint in (
        ("(mark 1 1 x)", "noop"),
        ("noop", "(MARK 2 1 O)"),
        ("(mark 2 2 x)", "noop"),
        ("noop", "(mark 3 1 o)"),
    ):
        seat.advance(joint)
    assert seat.choose(4.0) == "(mark 3 3 x)"
    seat.advance(("(mark 3 3 x)", "noop"))
    assert seat.goal() == 100


@pytest.mark.timeout(60)
def test_an_interrupted_choice_returns_long_before_its_time(seat: InterpretedSeat) -> None:
    threading.Timer(0.5, lambda: seat.interrupt(for_good=True)).start()
    seat.choose(600.0)
    begin = time.perf_counter()
    assert seat.choose(600.0) in OPENINGS
    assert time.perf_counter() - begin < 30


def test_a_legal_move_is_told_ahead_of_the_search(seat: InterpretedSeat) -> None:
    assert seat.settle() is None
    assert seat.choose(3.0) in OPENINGS
    assert seat.settle() in OPENINGS
    seat.advance(("(mark 2 2 x)", "noop"))
    assert seat.settle() is None
    seat.advance(("noop", "(mark 1 1 o)"))
    thread = threading.Thread(target=seat.choose, args=(600.0,))
    thread.start()
    while (move := seat.settle()) is None:
        time.sleep(0.01)
    assert move in set(OPENINGS) - {"(mark 2 2 x)", "(mark 1 1 x)"}
    seat.interrupt(for_good=True)
    thread.join()


def test_a_question_ends_the_search_of_the_question_before(seat: InterpretedSeat) -> None:
    timer = threading.Timer(2.0, seat.interrupt)
    timer.start()
    assert seat.choose(600.0) in OPENINGS
    begin = time.perf_counter()
    assert seat.choose(1.0) in OPENINGS
    assert isinstance(seat._asked("history"), History)
    assert time.perf_counter() - begin < 30


def test_a_process_that_is_ready_takes_the_game() -> None:
    seat = begun(process=InterpreterProcess())
    assert seat.choose(4.0) in OPENINGS
    seat.close()


def test_moves_that_are_none_are_refused(seat: InterpretedSeat) -> None:
    with pytest.raises(MoveError, match="1 moves for 2 roles"):
        seat.advance(("noop",))
    with pytest.raises(MoveError):
        seat.advance(("((", "noop"))


def test_a_match_is_recorded_as_the_rules_have_it(tmp_path: Path) -> None:
    seat = begun(RecordFolder(tmp_path))
    machine = load_machine("tictactoe.ext")
    match = OngoingMatch(machine)
    while not match.ended:
        joint = tuple(match.legal(role)[-1] for role in range(2))
        match.advance(joint)
        seat.advance(joint)
    path = seat.save("m")
    seat.close()
    assert path == tmp_path / "tictactoe.ext-m.xml"
    assert read_records(path, machine) == match.record("m")


def test_no_record_replaces_another_and_a_full_folder_takes_none(tmp_path: Path) -> None:
    folder = RecordFolder(tmp_path, most=3)
    long = folder.place("遊" * 40, "戯" * 200)
    assert long.name == "遊" * 40 + "-" + "戯" * 26 + ".xml"
    long.touch()  # file systems count bytes
    long.unlink()
    assert folder.place("g", "../m 1") == tmp_path / "g-.._m_1.xml"
    for name in ("g-m.xml", "g-m-2.xml", "g-m-3.xml"):
        assert folder.place("g", "m") == tmp_path / name
        (tmp_path / name).touch()
    with pytest.raises(RecordError, match="3 files are there, and --most-records is 3; the match is not recorded"):
        folder.place("g", "other")


def test_a_match_that_is_not_over_has_no_goals(seat: InterpretedSeat, tmp_path: Path) -> None:
    assert seat.save("m") is None
    seat._records = RecordFolder(tmp_path)
    seat.advance(("(mark 1 1 x)", "noop"))
    assert seat.goal() is None
    path = seat.save("m")
    assert path is not None
    record = read_records(path, load_machine("tictactoe.ext"))
    assert (record.goals.tolist(), len(record.states)) == ([[-1, -1]], 2)


def test_a_role_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="no role green; the roles are x, o"):
        InterpretedSeat(read_sheet("tictactoe.ext"), "green", 1)


def test_a_game_too_large_to_ground_is_described_as_interpreted() -> None:
    seat = ready(InterpretedSeat(parse_sheet(COUNTER, "counter"), "a", 1))
    assert seat.choose(3.0) in ("up", "same", "down")
    assert "too large" in seat.describe()
    seat.close()
