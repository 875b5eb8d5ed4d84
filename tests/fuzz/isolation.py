"""Calling a function in a process of its own, with limits, so that it can break nothing else."""

import multiprocessing
import resource
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any


class OverLimitError(Exception):
    """The call exceeded its time or its memory."""


class DiedError(Exception):
    """The process ended by a signal."""


def isolated(call: Callable[..., Any], *arguments: Any, seconds: float, memory_mib: int) -> Any:
    """Return the result of a call, or raise its exception. Raises OverLimitError and DiedError too."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(sender, memory_mib, call, arguments))
    process.start()
    sender.close()
    try:
        if not receiver.poll(seconds):
            raise OverLimitError(f"not done after {seconds:g} s")
        answer = receiver.recv()
    except EOFError:
        process.join()
        raise DiedError(f"the process ended with {process.exitcode}") from None
    finally:
        process.kill()
        process.join()
        receiver.close()
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _run(sender: Connection, memory_mib: int, call: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory_mib << 20, memory_mib << 20))
    try:
        sender.send(call(*arguments))
    except MemoryError as error:
        sender.send(OverLimitError(str(error)))
    except Exception as error:
        sender.send(error)
