"""Preparing a game keeps to its limits of time and memory, reports its progress, and can be interrupted."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gdl_miner.agent.errors import BudgetError
from gdl_miner.agent.gdl import parse_sheet
from gdl_miner.agent.reasoner import budget
from gdl_miner.agent.reasoner.budget import Budget, Clock
from gdl_miner.agent.reasoner.compile import NEVER, compile_rules
from gdl_miner.agent.reasoner.engines import InterpreterEngine
from gdl_miner.agent.reasoner.faults import findings_of, play_at_random
from gdl_miner.agent.reasoner.interpreter import Interpreter
from tests.reasoner.test_compile import ground_rules

ENDLESS = (
    "(role a) (init (at 0)) (number 0) (<= (number (s ?x)) (number ?x)) (<= (odd (s 0)) (number (s 0)))"
    "(<= (legal a ?x) (odd ?x)) (<= (next (at ?x)) (does a ?x)) (<= terminal (true (at (s 0)))) (goal a 100)"
)


def compile_much(clock: Clock) -> None:
    heads = range(40_000, 120_000)
    bodies = {head: [[1, head - 1], [2, -(head - 2)], [3, -(head - 3)]] for head in heads}
    compile_rules(ground_rules(bodies, [heads[-1], NEVER, NEVER], 3, (1,)), lambda: clock.check("compiling"))


def test_compiling_ends_with_the_time() -> None:
    clock = Clock("game", Budget(seconds=0.01))
    time.sleep(0.02)
    with pytest.raises(BudgetError, match=r"game: compiling did not end within the budget of 0\.01 s"):
        compile_much(clock)


def test_random_play_ends_with_the_time_and_claims_nothing_about_the_end_of_matches() -> None:
    sheet = parse_sheet("(role a) (legal a go) (<= terminal (true over)) (goal a 50)")
    clock = Clock("game", Budget(seconds=0.02))
    play = play_at_random(InterpreterEngine(Interpreter(sheet)), 10, 10**9, lambda: clock.check("playing"))
    assert (play.begun, play.ended) == (1, 0)
    assert play.stopped.startswith("game: playing did not end within the budget of 0.02 s")
    assert findings_of(sheet, play) == []


def test_compiling_ends_with_the_memory() -> None:
    with pytest.raises(BudgetError, match="game: compiling does not fit the budget of 0 MiB; give it more"):
        compile_much(Clock("game", Budget(memory_mib=0)))


def test_progress_comes_once_a_second_and_not_before_the_third(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(budget.time, "perf_counter", lambda: now)
    told: list[str] = []
    clock = Clock("game", Budget(60, progress=told.append))
    for _ in range(50):
        clock.check("compiling")
        now += 0.1
    assert told == [f"compiling game: {second} s of at most 60 s" for second in (2, 3, 4)]


def children_of(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("later", [0.0, 2.0])
def test_an_interrupt_ends_grounding_at_once_and_leaves_no_process(later: float, tmp_path: Path) -> None:
    sheet = tmp_path / "endless.kif"
    sheet.write_text(ENDLESS)
    command = [sys.executable, "-m", "gdl_miner.agent", "info", str(sheet)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + 30
        while not (grounders := children_of(process.pid)) and time.monotonic() < end:
            pass  # no sleep: the interrupt comes while the grounder's process is being started
        assert grounders
        time.sleep(later)
        process.send_signal(signal.SIGINT)
        _, printed = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "Traceback" not in printed
    end = time.monotonic() + 10
    while any(map(runs, grounders)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(runs, grounders))
