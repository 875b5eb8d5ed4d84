"""The budget for the preparation of a game, and a clock that enforces it."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from gdl_miner.agent.errors import BudgetError

DEFAULT_SECONDS = 60.0
DEFAULT_MEMORY_MIB = 4096
PROGRESS_AFTER_S = 2.0

_STATM = Path("/proc/self/statm")

Progress = Callable[[str], None]


class Budget(NamedTuple):
    """Limits for grounding and compiling one game."""

    seconds: float = DEFAULT_SECONDS  # grounding and compiling together
    memory_mib: int = DEFAULT_MEMORY_MIB  # for the grounder's process, and for what compiling adds to this process
    progress: Progress | None = None  # called about once a second after PROGRESS_AFTER_S


class Clock:
    """The time since the preparation of a game began, and the limits of its budget."""

    def __init__(self, game: str, budget: Budget) -> None:
        self.game = game
        self.budget = budget
        self._started = time.perf_counter()
        self._reported = self._started + PROGRESS_AFTER_S - 1
        self._resident_mib = _resident_mib()

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._started

    def check(self, stage: str) -> None:
        """Report progress of a stage such as "grounding".

        Raises:
            BudgetError: the preparation has used up its time or its memory.
        """
        elapsed = self.elapsed()
        if elapsed > self.budget.seconds:
            raise BudgetError(
                f"{self.game}: {stage} did not end within the budget of {self.budget.seconds:g} s; "
                "give it more time, or simplify the rules"
            )
        if _resident_mib() - self._resident_mib > self.budget.memory_mib:
            raise BudgetError(
                f"{self.game}: {stage} does not fit the budget of {self.budget.memory_mib} MiB; "
                "give it more, or simplify the rules"
            )
        now = time.perf_counter()
        if self.budget.progress is not None and now - self._reported >= 1:
            self._reported = now
            self.budget.progress(f"{stage} {self.game}: {elapsed:.0f} s of at most {self.budget.seconds:g} s")


def _resident_mib() -> float:
    """Return the resident memory of this process; 0 if the system does not report it."""
    try:
        return int(_STATM.read_text().split()[1]) * resource.getpagesize() / (1 << 20)
    except (OSError, ValueError, IndexError):
        return 0.0
