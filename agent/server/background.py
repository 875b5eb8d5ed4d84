"""Work beside the event loop: in threads, and in tasks that no code has to wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

MOST_THREADS = 8
CLOSING_S = 1.0  # time for tasks to end by themselves when no more work begins


class Background:
    """The threads and tasks of one player, for use in one event loop."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(MOST_THREADS, "seat")
        self._tasks: set[asyncio.Task[Any]] = set()

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do work in a thread and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task, which no code has to wait for."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Give up the work that has not begun, and end all tasks: those that are not over in a moment are cancelled."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=CLOSING_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
