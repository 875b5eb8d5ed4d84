"""Reports of a run's progress: a live display on a terminal, log lines in a pipe."""

from __future__ import annotations

import sys
import time
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from gdl_miner.agent.errors import escaped
from gdl_miner.miner.play.wording import NOTHING_HELPS, describe_score
from gdl_miner.miner.runs.entrant import Validation


class Reporter(Protocol):
    """A receiver of the events of a run."""

    def note(self, text: str) -> None:
        """A line worth reading."""

    def playing(self, title: str, matches: int, done: int) -> None:
        """Matches are about to be played; `done` of them were already played before an interruption."""

    def played(self, matches: int) -> None:
        """Some more of the matches are finished; `matches` is their number."""

    def working(self, what: str) -> None:
        """Work without matches begins."""

    def step(self, summary: str, standing: str) -> None:
        """A step is finished; `summary` is a line about it, and `standing` a few words that stay on the display."""

    def validated(self, validation: Validation) -> None:
        """The champion played its fresh matches."""

    def close(self) -> None:
        """No more events come."""


def reporter_for(stream: TextIO = sys.stderr) -> Reporter:
    """Return a live display where the stream is a terminal, and a log otherwise."""
    return LiveReporter(Console(file=stream)) if stream.isatty() else LogReporter(stream)


class LogReporter:
    """A log with one line per event and the seconds since the start."""

    _EVERY_S = 10.0  # least time between two lines about the same matches

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._begun = time.monotonic()
        self._spoke = self._begun
        self._pace = MatchRate()

    def note(self, text: str) -> None:
        """Write the line."""
        self._spoke = time.monotonic()
        print(f"[{self._spoke - self._begun:7.1f} s] {escaped(text)}", file=self._stream, flush=True)

    def playing(self, title: str, matches: int, done: int) -> None:
        """Write which matches begin."""
        self._pace = MatchRate(matches, done)
        self.note(f"{title}: {matches} matches" + (f", {done} of them kept" if done else ""))

    def played(self, matches: int) -> None:
        """Write from time to time how many matches are left."""
        self._pace.add(matches)
        if time.monotonic() - self._spoke > self._EVERY_S and self._pace.left:
            self.note(f"  {self._pace}")

    def working(self, what: str) -> None:
        """Write which work begins."""
        self.note(what)

    def step(self, summary: str, standing: str) -> None:
        """Write the summary of the step."""
        if summary:
            self.note(summary)

    def validated(self, validation: Validation) -> None:
        """Write the result of the champion."""
        said = describe_score(validation.score, validation.rating)
        self.note(f"champion {validation.name} on fresh matches: {said}")
        if not validation.helps:
            self.note(NOTHING_HELPS)

    def close(self) -> None:
        """Do nothing."""


class LiveReporter:
    """A progress line that stays at the bottom; finished steps scroll above it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._pace = MatchRate()
        self._standing = ""
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", style="bold", markup=False),
            BarColumn(bar_width=28),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[standing]}"),
            console=console,
            transient=True,
        )
        self._task: TaskID = self._progress.add_task("preparing", total=None, pace="", standing="")
        self._progress.start()

    def note(self, text: str) -> None:
        """Print the line above the display."""
        self._progress.console.print(escaped(text), highlight=False, markup=False)

    def playing(self, title: str, matches: int, done: int) -> None:
        """Start the bar."""
        self._pace = MatchRate(matches, done)
        self._begin(title, matches, done)

    def played(self, matches: int) -> None:
        """Move the bar."""
        self._pace.add(matches)
        self._progress.update(self._task, advance=matches, pace=self._pace.text())

    def working(self, what: str) -> None:
        """Show the work without a bar's length."""
        self._begin(what, None, 0)

    def step(self, summary: str, standing: str) -> None:
        """Print the summary of the step and keep the standing on the display."""
        self._standing = standing or self._standing
        if summary:
            self.note(summary)

    def validated(self, validation: Validation) -> None:
        """Print the result of the champion."""
        said = describe_score(validation.score, validation.rating)
        self.note(f"champion {validation.name} on fresh matches: {said}")
        if not validation.helps:
            self.note(NOTHING_HELPS)

    def close(self) -> None:
        """Remove the display."""
        self._progress.stop()

    def _begin(self, what: str, total: int | None, done: int) -> None:
        self._progress.remove_task(self._task)
        self._task = self._progress.add_task(
            escaped(what), total=total, completed=done, pace="", standing=self._standing
        )


class MatchRate:
    """Matches per second, and the time that the remaining matches will take."""

    def __init__(self, total: int = 0, done: int = 0) -> None:
        self._begun = time.monotonic()
        self._played = 0
        self.left = total - done

    def add(self, matches: int) -> None:
        """Count finished matches."""
        self._played += matches
        self.left -= matches

    def text(self) -> str:
        """Return a text such as `12.3 matches/s, 41 s left`; it is empty before the first match is counted."""
        elapsed = time.monotonic() - self._begun
        if not self._played or elapsed <= 0:
            return ""
        rate = self._played / elapsed
        return f"{rate:.1f} matches/s" + (f", {self.left / rate:.0f} s left" if self.left > 0 else "")

    def __str__(self) -> str:
        return f"{self.left} matches to go, {self.text()}"
