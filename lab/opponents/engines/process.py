"""What an adapter is, and the process behind it: lines go in on its standard input and come back on its output."""

from __future__ import annotations

import queue
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from gdl_miner.agent.errors import UserError
from gdl_miner.agent.player import OngoingMatch

_END_S = 2.0  # seconds in which a process should end after its input was closed
_LAST_ERRORS = 5  # lines of the standard error stream that are kept for messages
_LONGEST_TAIL = 300  # characters of the standard error stream that a message quotes


class EngineError(UserError):
    """An engine that cannot be started, ends too early, or gives an answer that cannot be used."""


class Opponent(Protocol):
    """An opponent that chooses moves in matches of one game, one match after the other."""

    def begin(self, seed: int) -> None:
        """Forget the last match; the seed decides where the engine's choice between equal moves is random."""

    def move(self, match: OngoingMatch, role: int) -> str:
        """Return the move that the role should make now, as the rule sheet spells it; it may still be illegal.

        Raises EngineError if there is no usable answer.
        """

    def close(self) -> None:
        """End the engine. Closing twice does no harm."""


class EngineProcess:
    """A running engine; threads collect its lines, so that an answer that never comes can be noticed."""

    def __init__(self, command: Sequence[str], answer_s: float) -> None:
        """Start the engine; `answer_s` is the longest time in seconds that it may be silent while it is asked.

        Raises EngineError if it cannot be started.
        """
        self.name = command[0]
        self._answer_s = answer_s
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
            )
        except OSError as error:
            raise EngineError(
                f"{self.name}: the engine cannot be started ({error.strerror or error}); give the path of its program"
            ) from None
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._errors: deque[str] = deque(maxlen=_LAST_ERRORS)
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._collect, self._collect_errors)]
        for thread in self._threads:
            thread.start()

    def send(self, line: str) -> None:
        """Write one line to the engine. Raises EngineError if the engine has ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._ended(line) from None

    def read(self, asked: str) -> str:
        """Return the next line of the engine without its end; `asked` is the question, for messages.

        Raises EngineError if the engine has ended, or says nothing for too long.
        """
        try:
            line = self._lines.get(timeout=self._answer_s)
        except queue.Empty:
            raise EngineError(
                f"{self.name}: no answer to `{asked}` within {self._answer_s:g} s; make its task easier, or give it "
                "more time with --engine-seconds"
            ) from None
        if line is None:
            raise self._ended(asked)
        return line.rstrip("\r\n")

    def read_until(self, word: str, asked: str) -> list[str]:
        """Return the lines up to the first that begins with a word, that one included. Raises as `read` does."""
        deadline = time.monotonic() + self._answer_s
        lines = [self.read(asked)]
        while lines[-1].split(maxsplit=1)[:1] != [word]:
            if time.monotonic() > deadline:
                raise EngineError(f"{self.name}: no line `{word} …` after `{asked}` within {self._answer_s:g} s")
            lines.append(self.read(asked))
        return lines

    def close(self) -> None:
        """Close the engine's input, and kill the engine if it does not end. Closing twice does no harm."""
        assert self._process.stdin is not None
        with suppress(OSError):  # the engine may have ended with a line unread
            self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            thread.join(_END_S)

    def _collect(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in stream:
                self._lines.put(line)
        self._lines.put(None)

    def _collect_errors(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            self._errors.extend(stream)

    def _ended(self, asked: str) -> EngineError:
        try:
            status = f"status {self._process.wait(_END_S)}"
        except subprocess.TimeoutExpired:
            status = "its output closed"
        self._threads[1].join(_END_S)
        tail = " ".join(" ".join(self._errors).split())[-_LONGEST_TAIL:]
        said = f"; its last errors: {tail}" if tail else ""
        return EngineError(f"{self.name}: the engine ended ({status}) when it was sent `{asked}`{said}")
