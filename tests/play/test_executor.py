import pytest

from gdl_miner.agent.knowledge import Parameters
from gdl_miner.agent.search.records import concatenate_records
from gdl_miner.miner.play.executor import SerialExecutor, WorkerTask
from gdl_miner.miner.play.match_tasks import cut_into_tasks, fewest_of_task, plays_out


def add(one: int, other: int, payload: int) -> int:
    return one + other + payload


def test_the_serial_executor_gives_shared_values_and_payload_to_every_task() -> None:
    executor = SerialExecutor()
    shared = [executor.share(100), executor.share(20)]
    assert list(executor.run(add, shared, [WorkerTask("a", 1), WorkerTask("b", 2)])) == [("a", 121), ("b", 122)]


def test_what_the_work_raises_reaches_the_caller() -> None:
    with pytest.raises(TypeError):
        list(SerialExecutor().run(add, [], [WorkerTask("a", 1)]))


def test_matches_of_players_that_make_playouts_are_not_cut_into_small_tasks() -> None:
    bare, valued = plays_out(None, Parameters()), plays_out("values", Parameters(value_weight=1.0))
    mixed = plays_out("values", Parameters(value_weight=0.5))
    assert (bare, valued, mixed) == (True, False, True)
    assert [fewest_of_task(each) for each in ([bare, bare], [bare, valued], [valued, valued], [])] == [64, 36, 8, 8]
    tasks = cut_into_tasks("x", range(200), 256, 24, fewest_of_task([bare, bare]))
    assert [len(task.payload) for task in tasks] == [67, 67, 66]


@pytest.mark.parametrize(
    ("pieces", "workers", "sizes"),
    [
        (600, 1, [200] * 3),  # at most 256 in a task
        (600, 8, [75] * 8),  # all workers are busy
        (600, 2, [150] * 4),  # in the last turn, too
        (20, 8, [10, 10]),  # at least 8 in a task
        (5, 8, [5]),
        (0, 8, [0]),
    ],
)
def test_tasks_are_as_many_as_keep_all_workers_busy_and_hold_pieces_in_turn(
    pieces: int, workers: int, sizes: list[int]
) -> None:
    tasks = cut_into_tasks("x", range(pieces), 256, workers)
    assert [len(task.payload) for task in tasks] == sizes
    assert [task.id for task in tasks] == [f"x-t{number:03d}" for number in range(len(sizes))]
    assert all(task.payload == tuple(range(pieces))[number :: len(tasks)] for number, task in enumerate(tasks))
    assert {task.join for task in tasks} == {concatenate_records}
