"""What a person sees while a run goes on: a live display on a terminal, log lines in a pipe."""

from __future__ import annotations

import sys
import time
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from miner.learners.evolution.loop import PlayRequest
from miner.learners.evolution.standing import GenerationResult, Standing
from miner.play.rating import Rating, Score
from miner.results.history import count_matches

__all__ = ["LiveReporter", "LogReporter", "Reporter", "describe_score", "reporter_for"]


class Reporter(Protocol):
    """Takes what happens in a run."""

    def note(self, text: str) -> None:
        """A line worth reading."""

    def playing(self, request: PlayRequest, done: int) -> None:
        """Matches are about to be played; `done` of them already were before an interruption."""

    def played(self, matches: int) -> None:
        """Some of them are finished."""

    def working(self, what: str) -> None:
        """Work without matches begins."""

    def generation(self, result: GenerationResult, generations: int) -> None:
        """A generation is finished."""

    def validated(self, standing: Standing) -> None:
        """The champion played its fresh matches."""

    def close(self) -> None:
        """Nothing more comes."""


def describe_score(score: Score, rating: Rating) -> str:
    """`62.5 % (95 %: 52.1–71.8), Elo +88 ± 41, 60 matches, 3 drawn`."""
    low, high = score.ci95
    return (
        f"{score.win_percent:.1f} % (95 %: {low:.1f}–{high:.1f}), "
        f"Elo {rating.elo:+.0f} ± {rating.se:.0f}, {count_matches(score.matches, score.draws)}"
    )


def reporter_for(stream: TextIO = sys.stderr) -> Reporter:
    """A live display where the stream is a terminal, log lines otherwise."""
    return LiveReporter(Console(file=stream)) if stream.isatty() else LogReporter(stream)


class LogReporter:
    """One line per event, with the seconds since the start."""

    _EVERY_S = 10.0  # between two lines about the same matches

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._begun = time.monotonic()
        self._spoke = self._begun
        self._pace = Pace()

    def note(self, text: str) -> None:
        """Writes the line."""
        self._spoke = time.monotonic()
        print(f"[{self._spoke - self._begun:7.1f} s] {text}", file=self._stream, flush=True)

    def playing(self, request: PlayRequest, done: int) -> None:
        """Says which matches begin."""
        self._pace = Pace(len(request.matches), done)
        self.note(f"{_title(request)}: {len(request.matches)} matches" + (f", {done} of them kept" if done else ""))

    def played(self, matches: int) -> None:
        """Says now and then how far the matches are."""
        self._pace.add(matches)
        if time.monotonic() - self._spoke > self._EVERY_S and self._pace.left:
            self.note(f"  {self._pace}")

    def working(self, what: str) -> None:
        """Says what begins."""
        self.note(what)

    def generation(self, result: GenerationResult, generations: int) -> None:
        """Says how the generation did."""
        if result.best is not None:
            self.note(_summary(result, generations))

    def validated(self, standing: Standing) -> None:
        """Says how the champion did."""
        self.note(
            f"champion {standing.individual.name} on fresh matches: {describe_score(standing.score, standing.rating)}"
        )

    def close(self) -> None:
        """Nothing to do."""


class LiveReporter:
    """A progress line that stays at the bottom; finished generations scroll above it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._pace = Pace()
        self._best = ""
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=28),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[best]}"),
            console=console,
            transient=True,
        )
        self._task: TaskID = self._progress.add_task("preparing", total=None, pace="", best="")
        self._progress.start()

    def note(self, text: str) -> None:
        """Prints the line above the display."""
        self._progress.console.print(text, highlight=False)

    def playing(self, request: PlayRequest, done: int) -> None:
        """Starts the bar."""
        self._pace = Pace(len(request.matches), done)
        self._begin(_title(request), len(request.matches), done)

    def played(self, matches: int) -> None:
        """Moves the bar."""
        self._pace.add(matches)
        self._progress.update(self._task, advance=matches, pace=self._pace.text())

    def working(self, what: str) -> None:
        """Shows the work without a measure."""
        self._begin(what, None, 0)

    def generation(self, result: GenerationResult, generations: int) -> None:
        """Prints how the generation did."""
        if result.best is not None:
            rating = result.best.rating
            self._best = f"best {rating.elo:+.0f} ± {rating.se:.0f} Elo"
            self.note(_summary(result, generations))

    def validated(self, standing: Standing) -> None:
        """Prints how the champion did."""
        self.note(
            f"[bold]champion {standing.individual.name}[/bold] on fresh matches: "
            f"{describe_score(standing.score, standing.rating)}"
        )

    def close(self) -> None:
        """Takes the display away."""
        self._progress.stop()

    def _begin(self, what: str, total: int | None, done: int) -> None:
        self._progress.remove_task(self._task)
        self._task = self._progress.add_task(what, total=total, completed=done, pace="", best=self._best)


class Pace:
    """Matches per second, and how long the rest will take."""

    def __init__(self, total: int = 0, done: int = 0) -> None:
        self._begun = time.monotonic()
        self._played = 0
        self.left = total - done

    def add(self, matches: int) -> None:
        """Counts finished matches."""
        self._played += matches
        self.left -= matches

    def text(self) -> str:
        """`12.3 matches/s, 41 s left`."""
        elapsed = time.monotonic() - self._begun
        if not self._played or elapsed <= 0:
            return ""
        rate = self._played / elapsed
        return f"{rate:.1f} matches/s" + (f", {self.left / rate:.0f} s left" if self.left > 0 else "")

    def __str__(self) -> str:
        return f"{self.left} matches to go, {self.text()}"


def _title(request: PlayRequest) -> str:
    match request.phase:
        case "without knowledge":
            return "generation 0, without knowledge"
        case "validation":
            return "validation of the champion"
        case "tournament":
            return f"generation {request.generation}, round {request.round + 1} of {request.rounds}"


def _summary(result: GenerationResult, generations: int) -> str:
    best = result.best
    assert best is not None
    return (
        f"generation {result.generation} of {generations}: best {best.individual.name} "
        f"{describe_score(best.score, best.rating)}; "
        f"mean {result.mean_win_percent():.1f} %, {result.matches} matches"
    )
