"""On a simulated cluster, bounds hold and copies of slow tasks save time."""

from lab.processes.simulation import Drawn, simulate


def test_equal_tasks_end_when_they_must():
    found = simulate(10, 40, Drawn(spread=0.0), seed=1)
    assert found.seconds == found.ideal == 80.0
    assert found.attempts == 40
    assert found.most_in_flight == 20


def test_a_thousand_workers_are_never_given_more_than_two_tasks_each():
    found = simulate(1000, 5000, Drawn(), seed=1)
    assert found.most_in_flight == 2000
    assert found.ideal <= found.seconds < 1.4 * found.ideal


def test_copying_stragglers_saves_most_of_what_they_cost():
    slow = Drawn(stragglers=0.02)
    with_copies, without = (simulate(100, 1000, slow, seed=1, copies=copies) for copies in (True, False))
    assert with_copies.seconds < 0.8 * without.seconds


def test_lost_tasks_are_done_all_the_same():
    found = simulate(50, 500, Drawn(lost=0.1), seed=1)
    assert found.attempts > 540
    assert found.seconds < 1.5 * found.ideal
