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


@pytest.mark.parametrize(("minor", "times"), [(False, 2), (True, 6)])
def test_a_task_lost_too_often_ends_the_run_and_a_minor_loss_counts_a_third(minor, times):
    work = dispatch(1, losses=2)
    for _ in range(times - 1):
        work.lost(work.start(1, 0.0)[0], "lost", minor=minor)
    with pytest.raises(ClusterError, match=f"task t0 was lost, {times} times"):
        work.lost(work.start(1, 1.0)[0], "lost", minor=minor)


def test_a_task_is_tried_in_halves_once_a_loss_of_it_counts():
    work = Dispatch([WorkerTask("t0", (1, 2), join=list)], 10.0, 5)
    sent = []
    for _ in range(3):
        sent += work.start(1, 0.0)
        work.lost(sent[-1], "lost", minor=True)
    assert names([*sent, *work.start(1, 1.0)]) == ["t0", "t0", "t0", "t0.1", "t0.2"]


def test_a_task_that_a_worker_refuses_is_tried_next_and_nothing_counts_against_it():
    work = dispatch(2, losses=1)
    for _ in range(3):
        work.refused(work.start(1, 0.0)[0])
    assert names(work.start(1, 1.0)) == ["t0"]


def test_an_attempt_that_is_not_heard_of_is_given_up_and_made_again():
    work = dispatch(3, deadline_s=10.0)
    first, _ = work.start(1, 0.0)
    work.heard(first, 5.0, stalled=0.0)
    assert work.overdue(14.0) == []
    assert work.overdue(15.0) == [first]
    assert names(work.start(1, 15.0)) == ["t0"]


def test_an_attempt_that_is_slow_goes_on_and_one_that_gets_on_no_more_is_given_up():
    work = dispatch(2, deadline_s=10.0)
    slow, stuck = work.start(2, 0.0)
    for now in range(1, 1000):
        work.heard(slow, now, stalled=9.0)
        work.heard(stuck, now, stalled=min(now / 100, 9.0))
        assert work.overdue(now) == []
    work.heard(stuck, 1000, stalled=10.0)
    assert work.overdue(1000) == [stuck]


def test_an_attempt_that_no_worker_has_begun_is_not_taken_for_lost_and_sent_again_much_later():
    work = dispatch(1, deadline_s=10.0, losses=1)
    (first,) = work.start(1, 0.0)
    assert work.overdue(500.0) == []
    assert work.overdue(600.0) == [first]
    assert names(work.start(1, 600.0)) == ["t0"]


def test_a_task_that_no_worker_ever_begins_ends_the_run_after_many_tries():
    work = dispatch(1, losses=2)
    for number in range(5):
        work.start(1, number * 600.0)
        work.overdue((number + 1) * 600.0)
    work.start(1, 3000.0)
    with pytest.raises(ClusterError, match="not begun by any worker for 600 s, 6 times"):
        work.overdue(3600.0)


def test_an_attempt_that_was_overtaken_and_stays_silent_is_lost():
    work = dispatch(4)
    first, second, third, _ = work.start(2, 0.0)
    work.heard(first, 1.0, stalled=0.0)
    assert work.waiting == 3
    work.heard(third, 5.0, stalled=0.0)
    for now in (60.0, 120.0):
        for each in (first, third):
            work.heard(each, now, stalled=0.0)
        assert work.overdue(now) == []
    work.deaf(124.0)
    assert work.overdue(125.0) == []
    for each in (first, third):
        work.heard(each, 244.0, stalled=0.0)
    assert work.overdue(244.0) == [second]
    assert names(work.start(2, 244.0)) == ["t1"]


def test_nothing_is_taken_for_silent_while_nobody_listened():
    work = dispatch(1, deadline_s=10.0)
    (first,) = work.start(1, 0.0)
    work.heard(first, 1.0, stalled=0.0)
    work.deaf(100.0)
    assert work.overdue(109.0) == []
    assert work.overdue(110.0) == [first]


def test_a_lost_task_is_tried_in_halves_whose_results_make_the_whole():
    work = Dispatch([WorkerTask("t0", (1, 2, 3, 4, 5), join=list), WorkerTask("t1", (6,), join=list)], 10.0, 3)
    first, second = work.start(1, 0.0)
    work.lost(first, "lost")
    assert work.finished(second, 1.0) == []
    one, two = work.start(1, 1.0)
    assert [(each.task.id, each.task.payload) for each in (one, two)] == [("t0.1", (1, 2)), ("t0.2", (3, 4, 5))]
    assert work.finished(two, 2.0) == []
    assert work.whole(two.task, "b") is None
    work.lost(one, "lost")
    quarters = work.start(2, 3.0)
    assert names(quarters) == ["t0.1.1", "t0.1.2"]
    for each, result in zip(quarters, ("x", "y"), strict=True):
        assert work.finished(each, 4.0) == []
        whole = work.whole(each.task, result)
    assert whole == (WorkerTask("t0", (1, 2, 3, 4, 5), join=list), [["x", "y"], "b"])
    assert not work.busy


def test_halves_that_are_lost_count_with_their_whole():
    work = Dispatch([WorkerTask("t0", (1, 2), join=list)], 10.0, 2)
    work.lost(work.start(1, 0.0)[0], "lost")
    with pytest.raises(ClusterError, match=r"task t0\.1 was lost, 2 times"):
        work.lost(work.start(1, 1.0)[0], "lost")


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
