"""Reports of a run's progress: a live display on a terminal, log lines in a pipe."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Column

from gdl_miner.agent.errors import escaped
from gdl_miner.miner.play.executor import TaskProgress, WorkProgress
from gdl_miner.miner.play.wording import describe_score, nothing_helps
from gdl_miner.miner.runs.entrant import Validation

_WIDE = 120  # columns of a terminal that has room for a long bar
_SLOW_START_S = 5.0  # seconds without a task at work that are worth a word


class Reporter(Protocol):
    """A receiver of the events of a run."""

    def note(self, text: str) -> None:
        """A line worth reading."""

    def playing(self, title: str, matches: int, done: int) -> None:
        """Matches are about to be played; `done` of them were already played before an interruption."""

    def played(self, matches: int, moves: int) -> None:
        """Some more of the matches are finished: their number, and that of all their joint moves."""

    def progress(self, work: WorkProgress) -> None:
        """The tasks that do the work have got on; this comes about once a second."""

    def working(self, what: str) -> None:
        """Work without matches begins."""

    def step(self, summary: str, standing: str) -> None:
        """A step is finished; `summary` is a line about it, and `standing` a few words that stay on the display."""

    def validated(self, validation: Validation) -> None:
        """The champion played its fresh matches."""

    def close(self) -> None:
        """No more events come."""


def reporter_for(stream: TextIO | None = None) -> Reporter:
    """Return a live display where the stream is a terminal, and a log otherwise.

    Without a stream it reports on standard error, also where the errors of libraries are led elsewhere.
    """
    if stream is None:
        stream = sys.stderr
        with suppress(OSError, ValueError):  # a stream without a descriptor is used as it is
            stream = os.fdopen(os.dup(stream.fileno()), "w", encoding=stream.encoding, errors=stream.errors)
    return LiveReporter(Console(file=stream)) if stream.isatty() else LogReporter(stream, ticks=True)


class LogReporter:
    """A log with one line per event and the seconds since the start.

    With `ticks`, a line says what goes on whenever nothing was written for ten seconds.
    """

    _EVERY_S = 10.0  # least time between two lines about the same work

    def __init__(self, stream: TextIO, *, ticks: bool = False) -> None:
        self._stream = stream
        self._begun = time.monotonic()
        self._spoke = self._begun
        self._pace = WorkPace()
        self._lock = threading.RLock()
        self._closed = threading.Event()
        if ticks:
            threading.Thread(target=self._tick, daemon=True).start()

    def note(self, text: str) -> None:
        """Write the line."""
        with self._lock:
            self._spoke = time.monotonic()
            print(f"[{self._spoke - self._begun:7.1f} s] {escaped(text)}", file=self._stream, flush=True)

    def playing(self, title: str, matches: int, done: int) -> None:
        """Write which matches begin."""
        self._pace = self._pace.next(matches, done)
        self.note(f"{title}: {matches} matches" + (f", {done} of them kept" if done else ""))

    def played(self, matches: int, moves: int) -> None:
        """Write from time to time how many matches are left."""
        self._pace.add(matches, moves)
        self._go_on()

    def progress(self, work: WorkProgress) -> None:
        """Write from time to time how far the work is."""
        self._pace.work = work
        self._go_on()

    def _go_on(self) -> None:
        with self._lock:
            if time.monotonic() - self._spoke > self._EVERY_S:
                self.note(f"  {self._pace}")

    def _tick(self) -> None:
        while not self._closed.wait(1.0):
            self._go_on()

    def working(self, what: str) -> None:
        """Write which work begins."""
        self._pace = self._pace.next()
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
            self.note(nothing_helps(validation.score))

    def close(self) -> None:
        """Write no more by itself."""
        self._closed.set()


class LiveReporter:
    """A progress line that stays at the bottom; finished steps scroll above it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._pace = WorkPace()
        self._standing = ""

        def words(ratio: int) -> Column:
            """Words that are cut where the terminal has no room, so that the numbers beside them are not."""
            return Column(ratio=ratio, no_wrap=True, overflow="ellipsis")

        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", style="bold", markup=False, table_column=words(3)),
            BarColumn(bar_width=28 if console.width >= _WIDE else 8),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[tasks]}", table_column=words(2)),
            TimeElapsedColumn(),
            TextColumn("{task.fields[standing]}", table_column=words(2)),
            console=console,
            transient=True,
            expand=True,
        )
        self._task: TaskID = self._progress.add_task("preparing", total=None, left="", tasks="", standing="")
        self._progress.start()

    def note(self, text: str) -> None:
        """Print the line above the display."""
        self._progress.console.print(escaped(text), highlight=False, markup=False)

    def playing(self, title: str, matches: int, done: int) -> None:
        """Start the bar."""
        self._pace = self._pace.next(matches, done)
        self._begin(title, matches, done)

    def played(self, matches: int, moves: int) -> None:
        """Move the bar."""
        self._pace.add(matches, moves)
        self._show()

    def progress(self, work: WorkProgress) -> None:
        """Move the bar."""
        self._pace.work = work
        self._show()

    def working(self, what: str) -> None:
        """Show the work without a bar's length."""
        self._pace = self._pace.next()
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
            self.note(nothing_helps(validation.score))

    def close(self) -> None:
        """Remove the display."""
        self._progress.stop()

    def _show(self) -> None:
        self._progress.update(self._task, completed=self._pace.ended, left=self._pace.left(), tasks=self._pace.tasks())

    def _begin(self, what: str, total: int | None, done: int) -> None:
        self._progress.remove_task(self._task)
        self._task = self._progress.add_task(
            escaped(what), total=total, completed=done, left="", tasks="", standing=self._standing
        )


class WorkPace:
    """How fast the work goes on that was announced last, and the time that its rest will take."""

    def __init__(self, total: int = 0, kept: int = 0, lengths: tuple[int, int] = (0, 0)) -> None:
        """Begin the work.

        Args:
            total: matches; 0: the work has none.
            kept: of these, those that were played before an interruption.
            lengths: numbers of matches and of their joint moves that tell how long a match is.
        """
        self.work = WorkProgress(0, (), 0)  # of its tasks
        self._begun = time.monotonic()
        self._total = total
        self._kept = kept
        self._played = 0
        self._matches, self._moves = lengths

    def next(self, total: int = 0, kept: int = 0) -> WorkPace:
        """Return the pace of the work that comes next."""
        return WorkPace(total, kept, (self._matches, self._moves))

    def add(self, matches: int, moves: int) -> None:
        """Count the finished matches of a task with so many joint moves together.

        The task is at work no more, whatever was told of it last.
        """
        alike = (task for task in self.work.running if task.of == matches)
        ended = max(alike, key=lambda task: task.done, default=None)
        self.work = self.work._replace(running=tuple(task for task in self.work.running if task is not ended))
        self._played += matches
        self._matches += matches
        self._moves += moves

    @property
    def ended(self) -> int:
        """The number of matches that have ended."""
        return min(self._total, self._kept + self._played + sum(task.done for task in self.work.running))

    def text(self) -> str:
        """Return a text such as `12.3 matches/s, 41 s left; 2 tasks at work, 1 waiting`, empty where nothing is known.

        Matches that go on count by their moves, as a share of the usual length of a match.
        """
        return "; ".join(filter(None, [self.left(), self.tasks()]))

    def left(self) -> str:
        """Return the rate of matches and the time that the rest will take, empty where nothing is known."""
        elapsed = time.monotonic() - self._begun
        made = self._played + sum(map(self._part, self.work.running))
        left = self._total - self._kept - made
        if not (made and left > 0 and elapsed > 0):
            return ""
        rate = made / elapsed
        return f"{rate:.1f} matches/s, {left / rate:.0f} s left"

    def _part(self, task: TaskProgress) -> float:
        """Return how many matches of a task are done, with parts of those that go on."""
        usual = self._moves / self._matches if self._matches else 0.0
        return float(min(task.of, max(task.done, task.moves / usual if usual else 0.0)))

    def tasks(self) -> str:
        """Return what the tasks of the work do, empty where nothing is known."""
        work, elapsed = self.work, time.monotonic() - self._begun
        said = work.in_words()
        of = sum(task.of for task in work.running)
        if of and not self._total:
            said[0] += f" ({sum(task.done for task in work.running)} of {of} parts)"
        elif work.waiting and not work.running and not work.done and elapsed >= _SLOW_START_S:
            load = f"{os.getloadavg()[0]:.1f}"
            said.append(f"{work.waiting} tasks wait; no worker has begun one yet (this machine has a load of {load})")
        return "; ".join(said)

    def __str__(self) -> str:
        seconds = f"{time.monotonic() - self._begun:.0f} s so far"
        left = self._total - self.ended
        begun = f"{left} matches to go, {seconds}" if left else seconds
        return ", ".join(filter(None, [begun, self.text()]))
