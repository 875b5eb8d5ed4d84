"""A player without a knowledge file learns values of states while the start clock runs."""

import logging
import re
import threading
import time
from pathlib import Path

import pytest

from gdl_miner.agent.knowledge import Parameters, write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.server import seat
from gdl_miner.agent.server.seat import CircuitSeat, SeatOptions
from tests.knowledge.plain import knowledge_of
from tests.server.serving import rules_text, serving


def test_without_knowledge_values_are_learned_while_the_start_clock_runs(caplog: pytest.LogCaptureFixture) -> None:
    start = f"(START M1 X ({rules_text('tictactoe.ext')}) 2 1)"
    with serving(options=SeatOptions(threads=2)) as learning, caplog.at_level(logging.INFO, "gdl_miner.agent.server"):
        answer, seconds = learning.timed(start)
        assert (answer, seconds < 2) == ("ready", True)
        running = learning.player._match
        assert running is not None
        assert isinstance(running.seat, CircuitSeat)
        assert learning.send("(PLAY M1 NIL)").startswith("(mark ")
        assert learning.send("(ABORT M1)") == "aborted"
    [games] = re.findall(r"match M1: (\d+) training games, .+; plays with", caplog.text)
    assert int(games) > 100
    with (
        serving(options=SeatOptions(threads=1, learn=False)) as other,
        caplog.at_level(logging.INFO, "gdl_miner.agent.server"),
    ):
        caplog.clear()
        assert other.send(start) == "ready"
        assert other.send("(ABORT M1)") == "aborted"
    assert "without knowledge" in caplog.text
    assert "training" not in caplog.text


def test_a_knowledge_file_is_tried_against_what_the_start_clock_taught(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seat, "LEAST_TRYING_S", 0.0)
    known = knowledge_of(load_machine("tictactoe.ext"), parameters=Parameters(uct_c=41.0))
    write_knowledge(known, tmp_path / "best.xml")
    with serving(tmp_path, SeatOptions(threads=1)) as server, caplog.at_level(logging.INFO, "gdl_miner.agent.server"):
        assert server.send(f"(START M1 X ({rules_text('tictactoe.ext')}) 5 1)") == "ready"
        assert server.send("(PLAY M1 NIL)").startswith("(mark ")
        assert server.send("(ABORT M1)") == "aborted"
    assert re.search(r"training games, .+; the knowledge file: .+; plays with(out)? ", caplog.text)


def test_learning_ends_when_the_match_is_aborted() -> None:
    with serving(options=SeatOptions(threads=1)) as server:
        answers = []
        start = f"(START M1 WHITE ({rules_text('breakthrough.ext')}) 60 1)"
        starting = threading.Thread(target=lambda: answers.append(server.send(start, 70)))
        starting.start()
        while (running := server.player._match) is None or running.seat is None:
            time.sleep(0.05)
        time.sleep(0.5)
        begin = time.perf_counter()
        assert server.send("(ABORT M1)") == "aborted"
        assert time.perf_counter() - begin < 10
        starting.join()
    assert answers == ["aborted"]
