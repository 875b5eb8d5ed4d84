"""The work of a run, as learners ask for it.

A learner is a generator: it yields tasks and is sent their results. A task is a function of this package or of the
learner's own, with its arguments; the run calls it with itself as the first argument. The function plays, mines or
writes, on any number of workers. The learner only decides: it never plays, reads a clock or a file. Every random draw
of a learner derives from the seed of its settings and from names that say what the draw is for. The same settings and
results therefore give the same tasks, and a run that was interrupted goes on by sending the kept results to a new
generator (`miner.runs.journal`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar

if TYPE_CHECKING:
    from gdl_miner.miner.runs.run import Run

P = ParamSpec("P")
ResultT = TypeVar("ResultT")


class Task(Generic[ResultT]):
    """A call of `function(run, *arguments)`.

    A learner writes `result = yield from Task(function, …)`, so that type checkers know the result; `yield Task(…)`
    does the same. The result is data: dataclasses, named tuples, tuples, mappings, numbers, texts, bytes and arrays, of
    the type that the function says it returns.
    """

    def __init__(self, function: Callable[Concatenate[Run, P], ResultT], *arguments: P.args, **named: P.kwargs) -> None:
        bound = inspect.signature(function).bind(None, *arguments, **named)
        bound.apply_defaults()
        self.function = function
        self.arguments: dict[str, Any] = dict(list(bound.arguments.items())[1:])  # by name, without the run

    @property
    def name(self) -> str:
        """The function, as a journal names it."""
        return f"{self.function.__module__}.{self.function.__qualname__}"

    def run(self, run: Run) -> ResultT:
        """Call the function."""
        function: Callable[..., ResultT] = self.function
        return function(run, **self.arguments)

    def __iter__(self) -> Generator[Task[Any], Any, ResultT]:
        """Yield the task itself and return what is sent for it."""
        result: ResultT = yield self
        return result


Learner: TypeAlias = Generator[Task[Any], Any, None]
