"""Searches whose threads are late: what they know by then counts, and nobody waits for them."""

import threading
import time

import numpy as np
import pytest

from gdl_miner.agent import Player, _native
from gdl_miner.agent.player import Thought
from gdl_miner.agent.player.thought import TreeReport
from gdl_miner.agent.player.trees import ALL_LATE_S, SearchTask, Trees
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from tests.player.stopped_threads import stopping


@pytest.fixture(scope="module")
def connectfour() -> Machine:
    return load_machine("connectfour.ext")


def test_a_tree_that_is_stopped_counts_with_what_it_knew(connectfour: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    with Player(connectfour, "white", threads=2, solver=False) as player, stopping(monkeypatch, 1) as stopped:
        begin = time.perf_counter()
        thought = player.think(seconds=0.4)
        assert time.perf_counter() - begin < 2
        stopped.wait_for(1)
        assert player._thinking is not None
        task = player._thinking.task
        known = player._trees.known(task)[1]
        assert known.playouts > 0
        visits = {move.row: move.visits for move in thought.moves}
        stopped.go_on()
        player._trees.rest()
        other = player._trees.known(task)[0]
        assert visits == dict(zip(other.rows.tolist(), (other.visits + known.visits).tolist(), strict=True))
        assert thought.playouts == other.playouts + known.playouts
        assert known.visits.sum() == known.playouts  # without the playouts in flight


def test_if_all_trees_are_stopped_the_move_is_the_most_visited_by_then(
    connectfour: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Player(connectfour, "white", threads=2, solver=False) as player, stopping(monkeypatch, 0, 1) as stopped:
        for turn in range(3):
            begin = time.perf_counter()
            thought = player.think(seconds=0.3)
            assert time.perf_counter() - begin < 2
            stopped.wait_for(2 * (turn + 1))
            visits = {move.row: move.visits for move in thought.moves}
            assert visits[thought.moves[0].row] == max(visits.values()) > 0
            player.advance([thought.move, "noop"])
            record = player.match.record("m")
            recorded = record.visit_count[record.visit_start[2 * turn] :]
            assert recorded.tolist() == [visits[row] for row in sorted(visits)]
            player.advance(["noop", player.match.legal(1)[0]])
            stopped.go_on()


def test_a_search_that_is_settled_returns_the_same_and_the_record_keeps_it(
    connectfour: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Player(connectfour, "white", threads=2, solver=False) as player:
        assert player.settle() is None  # no search has begun
        with stopping(monkeypatch, 0, 1) as stopped:
            returned: list[Thought] = []
            thread = threading.Thread(target=lambda: returned.append(player.think(seconds=60.0)))
            thread.start()
            stopped.wait_for(2)
            begin = time.perf_counter()
            thought = player.settle()
            assert time.perf_counter() - begin < 1
            assert thought is not None
            assert thought.playouts > 0
            assert player.settle() is thought
        thread.join()
        assert returned == [thought]
        player.advance([thought.move, "noop"])
        assert player.match.record("m").playouts.tolist() == [[thought.playouts, 0]]
        assert player.settle() is None  # it was a search of another position


def test_the_next_search_waits_for_no_tree_that_is_still_stopped(
    connectfour: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Player(connectfour, "white", threads=2, solver=False) as player, stopping(monkeypatch, 0) as stopped:
        first = player.think(seconds=0.3)
        stopped.trees = set()
        begin = time.perf_counter()
        second = player.think(seconds=0.3)
        assert time.perf_counter() - begin < 2
        assert len(stopped.stopped) == 1
        assert second.playouts > 0
        assert player.line(second)  # by the other tree
        stopped.go_on()
        third = player.think(seconds=0.3)
        assert sum(move.visits for move in third.moves) > sum(move.visits for move in first.moves)


def test_a_search_that_cannot_begin_knows_what_the_search_before_it_found(
    connectfour: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Player(connectfour, "white", threads=2, solver=False) as player, stopping(monkeypatch, 0, 1):
        first = player.think(seconds=0.3)
        second = player.think(seconds=0.3)
        assert [move.visits for move in second.moves] == [move.visits for move in first.moves]
        assert (first.playouts > 0, second.playouts) == (True, 0)


def test_if_all_trees_begin_late_their_first_visits_end_the_search(
    connectfour: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    think, returned = Trees._think, threading.Event()

    def late(self: Trees, number: int, task: SearchTask, playouts: int, seconds: float) -> TreeReport:
        time.sleep(4 * ALL_LATE_S)
        report = think(self, number, task, playouts, seconds)
        returned.wait(20)
        return report

    monkeypatch.setattr(Trees, "_think", late)
    with Player(connectfour, "white", solver=False) as player:
        begin = time.perf_counter()
        thought = player.think(seconds=0.1)
        assert time.perf_counter() - begin < 10  # it has not waited for the end of its thread
        returned.set()
        assert thought.playouts > 0


def test_what_is_published_belongs_to_one_position_and_one_search(connectfour: Machine) -> None:
    with Player(connectfour, "white") as player:
        thinker = player._trees._thinkers[0]
        assert isinstance(thinker, _native.Thinker)
        state, nothing = connectfour.initial(), np.empty(0, np.int32)
        assert len(thinker.known(state, 3)[0]) == 0
        found = TreeReport(*thinker.think(state, nothing, 3, 400, 0.0))
        for reported, known in zip(found, TreeReport(*thinker.known(state, 3)), strict=True):
            np.testing.assert_array_equal(reported, known)
        other = TreeReport(*thinker.known(state, 4))
        assert (other.visits.tolist(), other.playouts) == (found.visits.tolist(), 0)
        assert len(thinker.known(np.zeros_like(state), 3)[0]) == 0


def test_what_is_published_during_a_search_leaves_out_the_playouts_in_flight(connectfour: Machine) -> None:
    with Player(connectfour, "white", solver=False) as player:
        thinker = player._trees._thinkers[0]
        assert isinstance(thinker, _native.Thinker)
        state, nothing = connectfour.initial(), np.empty(0, np.int32)
        thread = threading.Thread(target=thinker.think, args=(state, nothing, 3, 0, 60.0))
        thread.start()
        seen = set()
        while len(seen) < 10:
            known = TreeReport(*thinker.known(state, 3))
            assert known.visits.sum() == known.playouts
            seen.add(known.playouts)
            time.sleep(0.005)
        thinker.stopped = True
        thread.join()
