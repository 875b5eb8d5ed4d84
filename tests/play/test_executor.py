import pytest

from gdl_miner.miner.play.executor import SerialExecutor, WorkerTask


def add(one: int, other: int, payload: int) -> int:
    return one + other + payload


def test_the_serial_executor_gives_shared_values_and_payload_to_every_task() -> None:
    executor = SerialExecutor()
    shared = [executor.share(100), executor.share(20)]
    assert list(executor.run(add, shared, [WorkerTask("a", 1), WorkerTask("b", 2)])) == [("a", 121), ("b", 122)]


def test_what_the_work_raises_reaches_the_caller() -> None:
    with pytest.raises(TypeError):
        list(SerialExecutor().run(add, [], [WorkerTask("a", 1)]))
