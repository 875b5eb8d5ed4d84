"""The report of a run in progress, drawn now and then from the files in its folder."""

from __future__ import annotations

import math
import time
from pathlib import Path

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.miner.results.report import draw_run

_LARGEST_SHARE = 0.05  # of a run's time that reports before the last may take


class RunReport:
    """The report of a run in progress, drawn now and then: the page of a large network takes seconds."""

    def __init__(self, folder: Path, machine: Machine) -> None:
        self._folder = folder
        self._machine = machine
        self._ended, self._took = -math.inf, 0.0  # the last drawing, in seconds of the monotonic clock
        self._stale = False

    def draw(self) -> None:
        """Draw the report, unless the last drawing took long and ended not long ago; then it is stale."""
        begun = time.monotonic()
        self._stale = begun - self._ended < self._took / _LARGEST_SHARE
        if not self._stale:
            draw_run(self._folder, self._machine)
            self._ended = time.monotonic()
            self._took = self._ended - begun

    def finish(self) -> None:
        """Draw the report if it is stale."""
        if self._stale:
            draw_run(self._folder, self._machine)
            self._stale = False
