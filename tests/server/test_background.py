import asyncio
import threading

import pytest

from gdl_miner.agent.server import seating
from gdl_miner.agent.server.seating import MOST_THREADS, Background


async def end(work: Background) -> None:
    await work.close()
    assert asyncio.all_tasks() == {asyncio.current_task()}


def test_closing_waits_for_work_that_has_begun_and_gives_up_the_other() -> None:
    begun, go_on, done = threading.Semaphore(0), threading.Event(), list[int]()

    def held() -> None:
        begun.release()
        go_on.wait(60)

    async def run() -> None:
        work = Background()

        async def task(number: int) -> None:
            await work.in_thread(held)
            done.append(number)

        for number in range(MOST_THREADS + 1):  # the last one waits for a thread
            work.start(task(number))
        await asyncio.sleep(0)
        for _ in range(MOST_THREADS):
            begun.acquire()
        asyncio.get_running_loop().call_later(0.05, go_on.set)
        await end(work)

    asyncio.run(run())
    assert sorted(done) == list(range(MOST_THREADS))


def test_closing_cancels_tasks_that_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seating, "CLOSING_S", 0.01)
    cancelled = list[bool]()

    async def long() -> None:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def run() -> None:
        work = Background()
        work.start(long())
        await asyncio.sleep(0)
        await end(work)

    asyncio.run(run())
    assert cancelled == [True]
