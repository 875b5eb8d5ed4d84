"""Matches that begin before the circuit of the game is there: the interpreter plays until then."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gdl_miner.agent.gdl import read_sheet
from gdl_miner.agent.reasoner.interpreter import Interpreter
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.search.record_xml import read_records
from gdl_miner.agent.server.interpreted_seat import InterpretedSeat
from gdl_miner.agent.server.preparation import PreparationProcess, PreparedRules
from gdl_miner.agent.server.record_folder import RecordFolder
from gdl_miner.agent.server.seat import CircuitSeat, SeatOptions
from tests.corpus import sheet_path
from tests.server.serving import Serving, rules_text, serving


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """The event until which no preparation of rules ends."""
    prepare, event = PreparationProcess.prepare, threading.Event()

    def late(self: PreparationProcess, *arguments: Any) -> PreparedRules:
        prepared = prepare(self, *arguments)
        event.wait()
        return prepared

    monkeypatch.setattr(PreparationProcess, "prepare", late)
    yield event
    event.set()


def _until(server: Serving, kind: type) -> None:
    """Wait until a seat of this kind plays the match."""
    while server.player._match is None or not isinstance(server.player._match.seat, kind):
        time.sleep(0.01)


def test_the_interpreter_plays_until_the_circuit_is_there(held: threading.Event, tmp_path: Path) -> None:
    machine = load_machine("tictactoe.ext")
    with serving(options=SeatOptions(threads=1, records=RecordFolder(tmp_path))) as server:
        assert server.send(f"(START m x ({rules_text('tictactoe.ext')}) 4 2)") == "ready"
        _until(server, InterpretedSeat)
        first, seconds = server.timed("(PLAY m NIL)")
        assert first.startswith("(mark ")
        assert seconds < 2
        held.set()
        _until(server, CircuitSeat)
        field = "1 1" if first == "(mark 2 2 x)" else "2 2"
        assert server.send(f"(PLAY m ({first} noop))") == "noop"
        second, seconds = server.timed(f"(PLAY m (noop (mark {field} o)))")
        assert second.startswith("(mark ")
        assert seconds < 2
        assert server.send(f"(STOP m ({second} noop))") == "done"
    [path] = tmp_path.glob("*.xml")
    record = read_records(path, machine)
    moves = [[machine.circuit.moves[row] for row in joint] for joint in record.moves[:-1]]
    assert moves == [[first, "noop"], ["noop", f"(mark {field} o)"], [second, "noop"]]
    assert record.visit_start.tolist()[:3] == [0, 0, 0]  # the interpreter has no visits
    assert record.visit_start[3] > 0


def test_the_circuit_takes_over_in_the_middle_of_a_match_and_its_end_is_known(held: threading.Event) -> None:
    with serving() as server:
        assert server.send(f"(START m x ({rules_text('tictactoe.ext')}) 3 1)") == "ready"
        _until(server, InterpretedSeat)
        assert server.send("(PLAY m NIL)").startswith("(mark ")
        for joint in ("(mark 1 1 x) noop", "noop (mark 2 1 o)", "(mark 2 2 x) noop"):
            server.send(f"(PLAY m ({joint}))")
        held.set()
        _until(server, CircuitSeat)
        assert server.send("(PLAY m (noop (mark 3 1 o)))") == "(mark 3 3 x)"
        running = server.player._match
        assert running is not None
        assert running.seat is not None
        assert len(running.joints) == 4
        assert server.send("(STOP m ((mark 3 3 x) noop))") == "done"


@pytest.mark.timeout(60)
def test_a_match_that_ends_before_the_circuit_is_there_leaves_nothing_behind(held: threading.Event) -> None:
    with serving() as server:
        assert server.send(f"(START m x ({rules_text('tictactoe.ext')}) 3 1)") == "ready"
        _until(server, InterpretedSeat)
        assert server.send("(ABORT m)") == "aborted"
        held.set()
        assert server.send(f"(START n o ({rules_text('tictactoe.ext')}) 3 1)") == "ready"
        _until(server, CircuitSeat)
        assert server.send("(PLAY n NIL)") == "noop"
        assert server.send("(ABORT n)") == "aborted"


@pytest.mark.timeout(120)
def test_a_large_sheet_is_played_with_a_short_start_clock() -> None:
    path = sheet_path("amazons")
    game = Interpreter(read_sheet(path))
    with serving(options=SeatOptions(threads=1)) as server:
        ready, seconds = server.timed(f"(START m white ({rules_text(read_sheet(path))}) 5 3)")
        assert ready == "ready"
        assert seconds < 5
        move, seconds = server.timed("(PLAY m NIL)")
        assert seconds < 3
        assert move in game.legal(game.initial(), "white")
        assert server.send("(ABORT m)") == "aborted"
