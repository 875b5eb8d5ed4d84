"""Recorded playouts of another reasoner, and the first place where an engine of this program disagrees with them.

A trace file holds one JSON object per line: ``playout``, ``roles``, ``steps``, ``terminal`` and ``goals``. Every step
has the number of its ``fluents`` and the hash of its ``state``. Every step but the last has also, per role,
``legal_count``, the hash of ``legal`` and the ``moves`` made. `text_hash` gives the hash of a set of texts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from gdl_miner.agent.errors import RecordError, why_unreadable
from gdl_miner.agent.reading import read_bounded
from gdl_miner.agent.reasoner.engines import TextEngine

S = TypeVar("S")


class Playout(NamedTuple):
    """One recorded playout, with the place in the file where it was read."""

    source: str  # file:line
    number: int
    roles: list[str]
    steps: list[dict[str, Any]]
    terminal: bool
    goals: list[int | None] | None  # None if the recording stops before the end of the match


@dataclass(frozen=True)
class Difference:
    """The first disagreement with a trace."""

    playout: int
    step: int
    what: str
    expected: str
    actual: str

    def __str__(self) -> str:
        where = f"playout {self.playout}, step {self.step}"
        return f"{where}: {self.what}: the trace says {self.expected}, found {self.actual}"


class Agreement(NamedTuple):
    """The numbers of playouts and states of a trace that were compared, and the first difference if there is one."""

    playouts: int
    states: int
    difference: Difference | None


def text_hash(texts: Iterable[str]) -> str:
    """Return the hash of a set of texts: 8 bytes of SHA-1 over the sorted distinct texts, one per line, in hex."""
    return hashlib.sha1("\n".join(sorted(set(texts))).encode(), usedforsecurity=False).digest()[:8].hex()


def read_traces(path: Path) -> Iterator[Playout]:
    """Yield the playouts of a trace file. Raises RecordError, which names the line that is not a playout."""
    try:
        lines = read_bounded(path).decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(
            f"{path}: cannot read the trace ({why_unreadable(error)}); give a readable .jsonl file"
        ) from error
    except ValueError as error:
        raise RecordError(f"{path}: {error}; split the trace, which has a playout on each line") from error
    if not any(line.strip() for line in lines):
        raise RecordError(f"{path}: holds no recorded playout; give a .jsonl file with one on each line")
    for number, line in enumerate(lines, 1):
        if line.strip():
            source = f"{path}:{number}"
            try:
                playout = json.loads(line)
                fields = (playout[key] for key in ("playout", "roles", "steps", "terminal", "goals"))
                yield Playout(source, *fields)
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise RecordError(f"{source}: not a recorded playout ({error}); record the trace again") from error


def check_traces(engine: TextEngine[S], playouts: Iterable[Playout]) -> Agreement:
    """Replay recorded playouts and stop at the first difference.

    Raises:
        RecordError: a step of a playout lacks a field.
    """
    count = states = 0
    for playout in playouts:
        try:
            difference = _check(engine, playout)
        except (KeyError, TypeError, IndexError) as error:
            raise RecordError(f"{playout.source}: a step lacks a field ({error}); record the trace again") from error
        count += 1
        if difference is not None:
            return Agreement(count, states + difference.step + 1, difference)
        states += len(playout.steps)
    return Agreement(count, states, None)


def _check(engine: TextEngine[S], playout: Playout) -> Difference | None:
    if list(engine.roles) != playout.roles:
        return Difference(playout.number, 0, "roles", ", ".join(playout.roles), ", ".join(engine.roles))
    state = engine.initial()
    last = len(playout.steps) - 1
    for number, step in enumerate(playout.steps):
        difference = _check_state(engine, state, step, playout.terminal and number == last)
        if difference is None and number < last:
            difference = _check_legal(engine, state, step)
            state = engine.next(state, step["moves"]) if difference is None else state
        elif difference is None and playout.goals is not None and engine.goals(state) != playout.goals:
            difference = ("goals", str(playout.goals), str(engine.goals(state)))
        if difference is not None:
            return Difference(playout.number, number, *difference)
    return None


def _check_state(engine: TextEngine[S], state: S, step: dict[str, Any], terminal: bool) -> tuple[str, str, str] | None:
    facts = sorted(set(engine.facts(state)))
    if len(facts) != step["fluents"] or text_hash(facts) != step["state"]:
        return "state", f"{step['fluents']} fluents", f"{len(facts)}: {' '.join(facts)}"
    if engine.terminal(state) != terminal:
        return "terminal", str(terminal).lower(), str(not terminal).lower()
    return None


def _check_legal(engine: TextEngine[S], state: S, step: dict[str, Any]) -> tuple[str, str, str] | None:
    for role, moves, count, known, made in zip(
        engine.roles, engine.legal(state), step["legal_count"], step["legal"], step["moves"], strict=True
    ):
        if len(moves) != count or text_hash(moves) != known or made not in moves:
            expected = f"{count} moves, {made} among them"
            return f"legal moves of {role}", expected, f"{len(moves)}: {' '.join(sorted(moves))}"
    return None
