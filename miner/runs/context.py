"""The context that all parts of a run share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gdl_miner.miner.learners.settings import RunSettings
from gdl_miner.miner.play.executor import Executor, Shared
from gdl_miner.miner.play.match_tasks import cut_into_tasks
from gdl_miner.miner.play.prepared_game import PreparedGame
from gdl_miner.miner.results.store import RunStore
from gdl_miner.miner.results.tables import StepPart, timing_row
from gdl_miner.miner.runs.kept_tasks import KeptTasks
from gdl_miner.miner.runs.reporting import Reporter

__all__ = ["RunContext"]


@dataclass(frozen=True)
class RunContext:
    """One run: its game, settings and folder, the executor of its tasks, and the reporter of its progress."""

    game: PreparedGame
    shared_game: Shared
    unit: str  # name of a step
    settings: RunSettings
    store: RunStore
    executor: Executor
    reporter: Reporter

    @property
    def roles(self) -> int:
        """The number of roles of the game."""
        return len(self.game.sheet.roles)

    def kept_tasks(self, name: str, pieces: Sequence[object], largest: int) -> KeptTasks:
        """Return tasks of at most `largest` pieces each; their results survive an interruption."""
        return KeptTasks(self.store, cut_into_tasks(name, pieces, largest, max(1, self.executor.workers)))

    def write_time(self, part: StepPart, matches: int | None, playouts: int | None, seconds: float) -> None:
        """Write to timings.csv how long a part of a step took; a part without matches or playouts gives None."""
        self.store.timings.append([timing_row(part, matches, playouts, seconds)])
