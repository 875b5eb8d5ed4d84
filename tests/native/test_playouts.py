import os
import signal
import threading
import time

import pytest

from gdl_miner.agent import _native
from tests.instruction_sets import EACH_SET, RUNNING_SET
from tests.native.circuits import FALSE, TRUE, CircuitBuilder, tictactoe
from tests.native.twin import totals


@pytest.mark.parametrize("isa", EACH_SET)
@pytest.mark.parametrize("lanes", [64, 128, 256, 512])
def test_counted_playouts_are_the_same_on_every_instruction_set_and_width(isa, lanes):
    machine = _native.Machine(tictactoe())
    expected = totals(machine.playouts(count=777, lanes=64, seed=5, isa="baseline"))
    assert totals(machine.playouts(count=777, lanes=lanes, seed=5, isa=isa)) == expected
    assert totals(machine.playouts(count=777, lanes=lanes, seed=6, isa=isa)) != expected


def test_counted_playouts_all_finish():
    result = _native.Machine(tictactoe()).playouts(count=100, seed=1)
    assert result.playouts == 100
    assert result.states == result.finished_states
    assert 500 <= result.states <= 900
    assert sum(result.goals) == 100 * 100


@pytest.mark.parametrize("limit", [{"count": 200_000}, {"seconds": 0.2}])
def test_random_tictactoe_has_its_known_results(limit):
    """The first player wins 737/1260 of random games, the second one 121/420, and 8/63 are draws."""
    result = _native.Machine(tictactoe()).playouts(seed=3, **limit)
    deviation = 50 / result.playouts**0.5
    assert result.goals[0] / result.playouts == pytest.approx(100 * 737 / 1260 + 50 * 8 / 63, abs=5 * deviation)
    assert result.goals[1] / result.playouts == pytest.approx(100 * 121 / 420 + 50 * 8 / 63, abs=5 * deviation)
    shares = {5: 1440 / 15120, 6: 5328 / 60480, 7: 47952 / 181440, 8: 72576 / 362880}  # games won at this length
    mean_length = sum(length * share for length, share in shares.items()) + 9 * (1 - sum(shares.values()))
    assert result.finished_states / result.playouts == pytest.approx(mean_length, abs=8 / result.playouts**0.5)


def test_playouts_stop_at_the_clock():
    start, used = time.perf_counter(), time.process_time()
    result = _native.Machine(tictactoe()).playouts(seconds=0.1)
    assert time.perf_counter() - start >= 0.1
    assert time.process_time() - used < 1  # the clock also counts the time of other processes
    assert result.finished_states <= result.states


def endless() -> _native.Machine:
    b = CircuitBuilder(1, [1], [])
    b.end_state_phase()
    return _native.Machine(b.build(legal=[TRUE], terminal=FALSE, goals=[], next_literals=[b.fluent(0)], initial=[0]))


@pytest.fixture
def ctrl_c_interrupts():
    """Let SIGINT interrupt as at a terminal, even if the tests run in the background, where it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.timeout(60)
@pytest.mark.usefixtures("ctrl_c_interrupts")
def test_ctrl_c_stops_an_endless_run():
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        endless().playouts(count=1)


def test_other_threads_run_meanwhile():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(endless().playouts(seconds=0.3)))
    thread.start()
    ticks = 0
    while thread.is_alive():
        ticks += 1
        time.sleep(0.01)
    assert ticks > 5
    assert seen[0].playouts == 0


def test_a_loop_that_does_not_settle_is_reported():
    b = CircuitBuilder(1, [1], [])
    b.all_of(b.gate(0) ^ 1)
    b.loops.append((0, 1))
    b.end_state_phase()
    machine = _native.Machine(b.build(legal=[b.gate(0)], terminal=FALSE, goals=[], next_literals=[FALSE], initial=[0]))
    with pytest.raises(RuntimeError, match="does not settle"):
        machine.legal(machine.initial())
    with pytest.raises(RuntimeError, match="does not settle"):
        machine.playouts(count=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give seconds, count or both"),
        ({"seconds": 0.0}, "seconds must be above 0"),
        ({"seconds": float("nan")}, "seconds must be above 0"),
        ({"count": 0}, "count must be above 0"),
        ({"count": 1, "lanes": 96}, "lanes must be"),
        ({"count": 1, "isa": "mmx"}, "unknown or unsupported instruction set 'mmx'"),
    ],
)
def test_impossible_playouts_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        _native.Machine(tictactoe()).playouts(**arguments)


def test_the_environment_chooses_the_instruction_set(monkeypatch):
    monkeypatch.delenv("GDL_MINER_ISA", raising=False)
    assert _native.chosen_instruction_set() == RUNNING_SET
    monkeypatch.setenv("GDL_MINER_ISA", "baseline")
    assert _native.chosen_instruction_set() == "baseline"
    assert _native.Lanes(_native.Machine(tictactoe()), 64).instruction_set == "baseline"
    monkeypatch.setenv("GDL_MINER_ISA", "quantum")
    with pytest.raises(ValueError, match="GDL_MINER_ISA: unknown or unsupported instruction set 'quantum'"):
        _native.chosen_instruction_set()
