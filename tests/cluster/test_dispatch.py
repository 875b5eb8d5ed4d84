"""The bookkeeping of attempts, at times that the tests set."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl_miner.cluster.dispatch import AHEAD, ClusterError, Dispatch
from gdl_miner.miner.play.executor import WorkerTask


def dispatch(count: int, deadline_s: float = 1000.0, losses: int = 3) -> Dispatch:
    return Dispatch([WorkerTask(f"t{number}", number) for number in range(count)], deadline_s, losses)


def names(attempts):
    return [attempt.task.id for attempt in attempts]


def test_only_some_more_tasks_than_workers_are_in_flight():
    work = dispatch(10)
    assert names(work.start(2, 0.0)) == ["t0", "t1", "t2", "t3"]
    assert work.in_flight == AHEAD * 2
    assert work.start(2, 0.0) == []


def test_workers_that_join_get_tasks_at_once():
    work = dispatch(10)
    work.start(1, 0.0)
    assert names(work.start(3, 1.0)) == ["t2", "t3", "t4", "t5"]


def test_a_lost_task_is_tried_next():
    work = dispatch(5)
    first, _ = work.start(1, 0.0)
    work.lost(first, "lost")
    assert names(work.start(1, 1.0)) == ["t0"]


def test_a_task_lost_too_often_ends_the_run():
    work = dispatch(1, losses=2)
    work.lost(work.start(1, 0.0)[0], "lost")
    again = work.start(1, 1.0)[0]
    with pytest.raises(ClusterError, match="task t0 was lost, 2 times"):
        work.lost(again, "lost")


def test_a_task_that_a_worker_refuses_is_tried_next_and_nothing_counts_against_it():
    work = dispatch(2, losses=1)
    for _ in range(3):
        work.refused(work.start(1, 0.0)[0])
    assert names(work.start(1, 1.0)) == ["t0"]


def test_an_overdue_attempt_is_given_up_and_made_again():
    work = dispatch(3, deadline_s=10.0)
    work.start(1, 0.0)
    assert work.overdue(9.0) == []
    assert names(work.overdue(10.0)) == ["t0"]
    assert names(work.start(1, 10.0)) == ["t0"]


def test_the_deadline_counts_from_when_a_worker_was_free():
    work = dispatch(2, deadline_s=10.0)
    first, second = work.start(1, 0.0)
    work.finished(first, 8.0)
    work.start(1, 8.0)
    assert work.overdue(17.0) == []
    assert work.overdue(18.0) == [second]


@pytest.fixture
def last():
    """A dispatch for four workers, where three tasks took a second and one still runs; and the attempt that runs."""
    work = dispatch(4)
    slow, *others = work.start(4, 0.0)
    assert all(work.finished(each, 1.0) == [] for each in others)
    return work, slow


def test_a_straggler_is_copied_to_a_free_worker_and_the_first_result_wins(last):
    work, slow = last
    (copy,) = work.start(4, 50.0)
    assert copy.task is slow.task
    assert work.start(4, 51.0) == []
    assert work.finished(copy, 51.0) == [slow]
    assert not work.busy
    assert work.finished(slow, 70.0) is None


def test_a_copy_that_takes_long_is_copied_too_but_no_more(last):
    work, slow = last
    copies = [work.start(4, now) for now in (50.0, 60.0, 70.0)]
    assert names(copies[0] + copies[1]) == [slow.task.id, slow.task.id]
    assert copies[2] == []


def test_no_task_is_copied_while_it_takes_no_longer_than_the_others(last):
    work, _ = last
    assert work.start(4, 1.4) == []


def test_nothing_is_copied_while_no_worker_is_free(last):
    work, _ = last
    assert work.start(1, 50.0) == []


def test_a_lost_copy_leaves_the_original_running(last):
    work, slow = last
    (copy,) = work.start(4, 50.0)
    work.lost(copy, "lost")
    assert work.in_flight == 1
    assert work.finished(slow, 51.0) == []


@given(st.integers(0, 30), st.lists(st.tuples(st.integers(1, 5), st.integers(0, 9), st.booleans()), max_size=200))
def test_every_task_finishes_once_whatever_happens(count, events):
    work, running, done, now = dispatch(count, losses=10**6), [], [], 0.0
    for workers, which, succeeds in [*events, *[(3, 0, True)] * 2 * count]:
        now += 1.0
        running += work.start(workers, now)
        assert work.in_flight == len(running)
        if not running:
            continue
        attempt = running.pop(which % len(running))
        if succeeds:
            rivals = work.finished(attempt, now)
            assert rivals is not None
            running = [each for each in running if each not in rivals]
            done.append(attempt.task.id)
        else:
            work.lost(attempt, "lost")
    assert not work.busy
    assert sorted(done) == sorted(f"t{number}" for number in range(count))
