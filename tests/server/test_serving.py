import asyncio
import logging
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.player import Player, Thought
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.referee import Clocks, LocalRandom, RefereedMatch, referee
from gdl_miner.agent.referee.players import RemotePlayer
from gdl_miner.agent.search.record_xml import read_records, write_records
from gdl_miner.agent.server import running_match
from gdl_miner.agent.server.preparation import PreparationProcess, PreparedRules
from gdl_miner.agent.server.running_match import Margin
from gdl_miner.agent.server.seat import CircuitSeat, SeatOptions
from tests.server.attacks import COUNTER
from tests.server.serving import Serving, rules_text, serving


@pytest.fixture
def match(server: Serving) -> Iterator[str]:
    """The name of a match that has started and is aborted after the test."""
    server.player._preparation.warm_up(10)
    assert server.send(f"( START M1 X ({rules_text('tictactoe.ext')}) 1 1)") == "ready"
    yield "M1"
    assert server.send("(ABORT M1)") == "aborted"
    assert "(status available)" in server.send("(info)")


def test_a_match_goes_as_the_protocol_says(server: Serving, match: str) -> None:
    assert server.send("( INFO )") == "((name tester) (status busy) (species alien))"
    assert server.send(f"(START M2 O ({rules_text('tictactoe.ext')}) 1 1)") == "busy"
    assert server.send("(PREVIEW ((role x)) 1)") == "busy"
    for other in ("(PLAY M2 NIL)", "(STOP M2 NIL)", "(ABORT M2)"):
        assert server.send(other) == "400 message: match M2 is not played here; match M1 is on"
    move = server.send("(PLAY M1 NIL)")
    assert move.startswith("(mark ")
    assert server.send(f"(PLAY M1 ({move.upper()} NOOP))") == "noop"
    assert [server.send("(STOP M1 NIL)") for _ in range(2)] == ["done", "done"]
    assert server.send("(PLAY M1 NIL)").startswith("400 message: match M1 is over here; send its start")


def test_moves_that_are_not_legal_are_refused_and_the_match_goes_on(server: Serving, match: str) -> None:
    assert server.send("(PLAY M1 ((mark 9 9 x) noop))").startswith("400 tictactoe.ext: x cannot play (mark 9 9 x)")
    assert server.send("(PLAY M1 ((mark 1 1 x)))").startswith("400 tictactoe.ext: 1 moves given")
    assert server.send("(PLAY M1 NIL)").startswith("(mark ")


def test_a_scrambled_game_is_played_with_the_knowledge_of_its_own(
    server: Serving, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    machine = load_machine("tictactoe.ext")
    with caplog.at_level(logging.INFO, "gdl_miner.agent.server"):
        outcome = asyncio.run(_against_random(machine.sheet.name, server, scramble=True))
    assert "plays renamed tictactoe.ext, 2 trees, with knowledge" in caplog.text
    assert outcome.faults == ()
    assert outcome.goals[0] is not None
    assert outcome.goals[0] >= 50
    write_records(outcome.record, machine, tmp_path / "seen.xml")
    seen = read_records(tmp_path / "seen.xml", machine)
    own = caplog.text.split("recorded in ")[1].split()[0]
    recorded = read_records(own, machine)
    assert (recorded.moves == seen.moves).all()
    assert recorded.playouts[0, 0] > 0


async def _against_random(game: str, server: Serving, *, scramble: bool) -> RefereedMatch:
    async with aiohttp.ClientSession() as client:
        links = [RemotePlayer(server.url, client), LocalRandom(3)]
        return await referee(load_machine(game), links, Clocks(2, 0.5), name="S.1", seed=4, scramble=scramble)


def test_the_options_of_the_seat_change_the_search_and_are_told(caplog: pytest.LogCaptureFixture) -> None:
    options = SeatOptions(threads=1, parameters={"uct_c": 20.0, "solver": False})
    with serving(options=options) as changed, caplog.at_level(logging.INFO, "gdl_miner.agent.server"):
        assert changed.send(f"(START M1 X ({rules_text('tictactoe.ext')}) 1 1)") == "ready"
        running = changed.player._match
        assert running is not None
        assert isinstance(running.seat, CircuitSeat)
        used = running.seat._player.parameters
        assert (used.uct_c, used.solver) == (20.0, False)
        assert changed.send("(ABORT M1)") == "aborted"
    assert "1 trees, learns, uct_c=20.0, solver=False" in caplog.text


def test_every_move_has_a_line_in_the_log(server: Serving, match: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "gdl_miner.agent.server"):
        move = server.send("(PLAY M1 NIL)")
        assert server.send(f"(PLAY M1 ({move} noop))") == "noop"
        second = server.send("(PLAY M1 (noop (mark 1 3 o)))")
        assert server.send(f"(STOP M1 ({second} noop))") == "done"
    first, waited, third = re.findall(r"match M1, move \d: .*", caplog.text)
    shown = r"\d+ playouts, \d+/s, value \d+\.\d, depth [1-9]\d*, best line"
    assert re.fullmatch(
        rf"match M1, move 1: {re.escape(move)}, {shown} {re.escape(move)}(, \(mark . . [xo]\))*(, \.\.\.)?", first
    )
    assert waited == "match M1, move 2: noop, not searched"
    assert re.fullmatch(rf"match M1, move 3: {re.escape(second)}, {shown} {re.escape(second)}.*", third)


def test_the_log_tells_whether_a_match_came_to_its_end(server: Serving, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "gdl_miner.agent.server"):
        assert server.send(f"(START M1 X ({rules_text('tictactoe.ext')}) 1 1)") == "ready"
        move = server.send("(PLAY M1 NIL)")
        assert server.send(f"(STOP M1 ({move} noop))") == "done"
        assert server.send(f"(START M2 X ({rules_text('tictactoe.ext')}) 1 2)") == "ready"
        assert server.send("(STOP M2 (zork zork))") == "done"
    assert "match M1: stopped, and no goal is known" in caplog.text
    assert "match M2: clocks of 1 s and 2 s" in caplog.text
    assert "match M2: stopped, without its last moves: " in caplog.text
    assert "over, goal" not in caplog.text


def test_a_message_in_any_case_is_understood(server: Serving) -> None:
    rules = rules_text("tictactoe.ext").upper()
    assert server.send(f"(STaRT m x ({rules}) 1 1)") == "ready"
    assert server.send("(Play m nil)").startswith("(MARK ")
    assert server.send("(aborT m)") == "aborted"


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("(START m green ({rules}) 1 1)", "400 match m: no role green; the roles are x, o"),
        ("(START m x ((role x) (legal x) 1 1)", "400 message: a parenthesis is never closed"),
        ("(START m x ((role x) (legal)) 1 1)", "400 match m:1:1: the sheet has no rule or fact for 'terminal'"),
        ("(START m x ((<= (legal x ?y) (true))) 1 1)", "400 match m:1:"),
        ("(START m x (" + "(" * 120 + "x" + ")" * 120 + ") 1 1)", "400 match m:1:"),
        ("nonsense", "400 message: text outside of its parentheses"),
        ("", "400 message: there is no text"),
        ("(" * 100_000, "400 message: more than 160 parentheses are open"),
    ],
)
def test_a_bad_message_gets_a_proper_error_and_leaves_the_player_available(
    message: str, problem: str, server: Serving
) -> None:
    assert server.send(message.replace("{rules}", rules_text("tictactoe.ext"))).startswith(problem)
    assert "(status available)" in server.send("(info)")


def test_bytes_that_are_no_text_are_refused(server: Serving) -> None:
    assert server.send(b"\xff\x00(info)").startswith("400 ")
    assert server.send(b"(start m x (\xff) 1 1)").startswith("400 match m:1:1: character U+FFFD")


def test_a_game_too_large_to_ground_is_still_played(server: Serving) -> None:
    ready, seconds = server.timed(f"(START m a ({COUNTER}) 4 1.5)")
    try:
        assert ready == "ready"
        assert seconds < 4
        answer, last = "nil", "nil"
        for _ in range(12):  # answers are nil while the interpreter starts, which may take long on a loaded machine
            answer, seconds = server.timed(f"(PLAY m {last})")
            assert seconds < 1.5
            last = "(up)"
            if answer != "nil":
                break
        assert answer in ("up", "same", "down")
    finally:
        assert server.send("(ABORT m)") == "aborted"


@pytest.mark.timeout(150)  # less than the clocks of three preparations
def test_a_preparation_can_be_aborted_and_the_next_match_is_played(server: Serving) -> None:
    for _ in range(3):
        answers: list[str] = []
        thread = threading.Thread(target=lambda into=answers: into.append(server.send(f"(START m a ({COUNTER}) 60 5)")))
        thread.start()
        while "(status busy)" not in server.send("(info)"):
            time.sleep(0.01)
        assert server.send("(ABORT m)") == "aborted"
        server.player._preparation.warm_up(30)  # a process starts in seconds on a busy processor
        assert server.send(f"(START n X ({rules_text('tictactoe.ext')}) 4 1)") == "ready"
        assert server.send("(PLAY n NIL)").startswith("(mark ")
        assert server.send("(ABORT n)") == "aborted"
        thread.join()
        assert answers == ["aborted"]


def test_a_preparation_that_was_broken_off_leaves_the_next_process_alone() -> None:
    preparation = PreparationProcess()
    try:
        preparation.warm_up(10)
        done: list[PreparedRules] = []
        thread = threading.Thread(target=lambda: done.append(preparation.prepare(COUNTER, "m", 60)))
        thread.start()
        time.sleep(0.5)
        preparation.restart()
        process = preparation._process
        thread.join()
        assert [prepared.circuit for prepared in done] == [None]
        assert preparation._process is process is not None
        assert process.is_alive()
    finally:
        preparation.close()


def test_the_same_question_asked_twice_at_once_has_one_answer(server: Serving, match: str) -> None:
    answers: list[str] = []
    threads = [threading.Thread(target=lambda: answers.append(server.send("(PLAY M1 NIL)"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(answers)) == 1
    assert answers[0].startswith("(mark ")


def test_a_question_that_is_refused_does_not_stand_in_the_way_of_another(server: Serving, match: str) -> None:
    many = f"(PLAY M1 ({'x ' * 30_000}))"
    threads = [threading.Thread(target=server.send, args=(many,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert server.send("(PLAY M1 NIL)").startswith("(mark ")
    for thread in threads:
        thread.join()


def test_a_search_that_is_late_is_not_waited_for(server: Serving, match: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()
    monkeypatch.setattr(CircuitSeat, "choose", lambda self, seconds: str(answered.wait()))
    try:
        move = server.send("(PLAY M1 NIL)")
        running = server.player._match
        assert running is not None
        assert isinstance(running.seat, CircuitSeat)
        assert move == running.seat.settle()  # what the search of the start clock found
    finally:
        answered.set()


def test_a_search_that_the_rules_break_off_is_answered_by_a_legal_move(
    server: Serving, match: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(self: Player, *, seconds: float) -> Thought:
        raise RuleError("a match went on for more than a million moves")

    monkeypatch.setattr(Player, "think", broken)
    with caplog.at_level(logging.INFO, "gdl_miner.agent.server"):
        assert server.send("(PLAY M1 NIL)").startswith("(mark ")
        assert server.send("(STOP M1 NIL)") == "done"
    assert "drawn at random, for the search broke off: a match went on" in caplog.text


def test_learning_that_the_rules_break_off_leaves_the_match_alone(
    server: Serving, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(self: Player, *, seconds: float) -> None:
        raise RuleError("white has no legal move")

    monkeypatch.setattr(Player, "learn", broken)
    server.player._preparation.warm_up(30)
    with caplog.at_level(logging.INFO, "gdl_miner.agent.server"):
        assert server.send(f"(START M1 white ({rules_text('connectfour.ext')}) 30 2)") == "ready"
        assert server.send("(PLAY M1 NIL)").startswith("(play ")
        assert server.send("(ABORT M1)") == "aborted"
    assert "match M1: nothing was learned: white has no legal move" in caplog.text


def test_without_any_search_in_time_the_first_legal_move_is_played(
    server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = threading.Event()
    monkeypatch.setattr(CircuitSeat, "choose", lambda self, seconds: str(answered.wait(2)))
    try:
        assert server.send(f"(START M1 X ({rules_text('tictactoe.ext')}) 0.5 0.5)") == "ready"
        assert server.send("(PLAY M1 NIL)") == "(mark 1 1 x)"
    finally:
        answered.set()
        assert server.send("(ABORT M1)") == "aborted"


def test_a_late_search_leaves_the_next_move_a_legal_one(
    server: Serving, match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CircuitSeat, "choose", lambda self, seconds: time.sleep(3) or "never")
    first = server.send("(PLAY M1 NIL)")
    assert server.send(f"(PLAY M1 ({first} noop))") == "noop"
    field = "1 1" if first == "(mark 2 2 x)" else "2 2"
    second = server.send(f"(PLAY M1 (noop (mark {field} o)))")
    assert second.startswith("(mark ")
    assert second not in (first, f"(mark {field} x)")


def test_matches_of_several_games_come_one_after_another(server: Serving) -> None:
    for game, role, first in (("connectfour.ext", "white", "(play "), ("tictactoe.ext", "o", "noop")):
        server.player._preparation.warm_up(30)
        server.player.margin = Margin()  # whatever searches of other tests were late
        assert server.send(f"(START {game} {role} ({rules_text(game)}) 2 0.5)") == "ready"
        assert server.send(f"(PLAY {game} NIL)").startswith(first)
        assert server.send(f"(STOP {game} NIL)") == "done"


def test_a_match_whose_controller_has_gone_is_left(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    assert server.send(f"(START gone X ({rules_text('tictactoe.ext')}) 0.5 0.5)") == "ready"
    monkeypatch.setattr(running_match, "FORGOTTEN_AFTER_S", -1.0)
    time.sleep(0.1)
    assert "(status available)" in server.send("(info)")
    monkeypatch.undo()
    deadline = time.monotonic() + 5
    while server.player._match is not None and time.monotonic() < deadline:
        monkeypatch.setattr(running_match, "FORGOTTEN_AFTER_S", -1.0)
        time.sleep(0.1)
    assert server.player._match is None
