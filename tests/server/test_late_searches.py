"""Moves of the player server while its search threads have little of the processor."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.record_xml import read_records
from gdl_miner.agent.search.records import MatchBatchRecord
from gdl_miner.agent.server.record_folder import RecordFolder
from gdl_miner.agent.server.seat import SeatOptions
from tests.server.serving import Serving, rules_text, serving

START_CLOCK_S = 6.0
CLOCK_S = 1.0
MOVES = 5


@pytest.fixture(scope="module")
def breakthrough() -> Machine:
    return load_machine("breakthrough.ext")


def _begin(server: Serving) -> None:
    """Begin a match while there is enough of the processor to prepare the rules."""
    assert server.send(f"(START late white ({rules_text('breakthrough.ext')}) {START_CLOCK_S} {CLOCK_S})") == "ready"


def _played(server: Serving, machine: Machine) -> list[float]:
    """Play the first moves of a match against the highest legal row; return the seconds of each answer."""
    times = []
    state, last = machine.initial(), "NIL"
    for _ in range(MOVES):
        move, seconds = server.timed(f"(PLAY late {last})")
        times.append(seconds)
        row = machine.row(0, move)
        state = machine.next(state, [row, machine.legal(state)[1][0]])
        answer = machine.legal(state)[1][-1]
        other, _ = server.timed(f"(PLAY late ({move} noop))")
        assert other == "noop"
        state = machine.next(state, [machine.legal(state)[0][0], answer])
        last = f"(noop {machine.sheet.display(machine.circuit.moves[answer])})"
    assert server.send(f"(STOP late {last})") == "done"
    return times


def _most_visited(record: MatchBatchRecord) -> list[bool]:
    """Return for each move of white whether it is a most visited one; a search without a visit is an error."""
    found = []
    for step in range(0, 2 * MOVES, 2):
        part = slice(record.visit_start[step], record.visit_start[step + 1])
        rows, visits = record.visit_row[part], record.visit_count[part]
        assert visits.sum() > 0
        found.append(bool(visits[np.flatnonzero(rows == record.moves[step, 0])[0]] == visits.max()))
    return found


@contextmanager
def _hogs(count: int) -> Iterator[None]:
    """Processes that each want a whole processor."""
    with ExitStack() as stack:
        for _ in range(count):
            hog = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(hog.kill)
        yield


def test_on_a_hogged_processor_the_most_visited_move_is_played_in_time(breakthrough: Machine, tmp_path: Path) -> None:
    with serving(
        options=SeatOptions(threads=8, records=RecordFolder(tmp_path), parameters={"solver": False})
    ) as server:
        _begin(server)
        with _hogs(8):
            times = _played(server, breakthrough)
    [record] = tmp_path.glob("*.xml")
    assert _most_visited(read_records(record, breakthrough)) == [True] * MOVES
    assert max(times) < CLOCK_S
