"""Lessons: positions of a generation's matches, searched deeper than they were in play.

What a deeper search prefers among the moves of a position teaches far more than the visits of the match itself, and
costs less than whole matches of that depth: positions of one match resemble each other, so a sample of them does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent.reasoner.machine import Machine
from agent.search.player import PlayerSpec
from agent.search.records import NO_MOVE, MatchBatchRecord
from agent.search.seeds import derive_seed
from agent.search.uct import search_positions
from miner.mining.role_record import RoleRecord
from miner.play.prepared_game import PreparedGame

__all__ = ["Lesson", "choose_lessons", "study_batch"]

_UNFINISHED = -1  # goal of a lesson: it has no result


@dataclass(frozen=True)
class Lesson:
    """A position to search, with the joint move that led to it."""

    id: str
    seed: int
    state: NDArray[np.uint64]  # [word]
    before: NDArray[np.uint64] | None  # [word] the state before; None at the start of a match
    joint: NDArray[np.int32]  # [role] the move made there, NO_MOVE at the start of a match


def choose_lessons(record: MatchBatchRecord, machine: Machine, positions: int, seed: int) -> tuple[Lesson, ...]:
    """At most `positions` positions of every role's decisions, sampled evenly, by match id and move number alone."""
    chosen: set[int] = set()
    for role in range(len(machine.roles)):
        chosen |= set(RoleRecord(record, machine, role).sample_decisions(positions, seed).tolist())
    match, last = record.match_of_step(), record.last_rows()
    lessons = []
    for step in sorted(chosen):
        name = f"{record.ids[match[step]]}-{step - int(record.start[match[step]]):04d}"
        first = last[step, 0] == NO_MOVE
        before = None if first else record.states[step - 1]
        lessons.append(Lesson(name, derive_seed(seed, "lesson", name), record.states[step], before, last[step]))
    return tuple(lessons)


def study_batch(game: PreparedGame, teacher: PlayerSpec, lessons: tuple[Lesson, ...]) -> MatchBatchRecord:
    """Search the positions; one unfinished match for each, whose last state carries the root visits."""
    machine = game.machine()
    found = search_positions(
        machine,
        np.array([lesson.state for lesson in lessons]),
        teacher,
        [lesson.seed for lesson in lessons],
        last_rows=np.array([lesson.joint for lesson in lessons]),
    )
    return _record(lessons, [[(each.rows, each.visits) for each in results] for results in found], teacher.playouts)


def _record(
    lessons: Sequence[Lesson],
    found: Sequence[Sequence[tuple[NDArray[np.int32], NDArray[np.int32]]]],
    playouts: int,
) -> MatchBatchRecord:
    roles = len(lessons[0].joint)
    states: list[NDArray[np.uint64]] = []
    moves: list[NDArray[np.int32]] = []
    visits: list[int] = []  # [step] number of visits
    for lesson, results in zip(lessons, found, strict=True):
        if lesson.before is not None:
            states.append(lesson.before)
            moves.append(lesson.joint)
            visits.append(0)
        states.append(lesson.state)
        moves.append(np.full(roles, NO_MOVE, np.int32))
        visits.append(sum(len(rows) for rows, _ in results))
    lengths = [1 if lesson.before is None else 2 for lesson in lessons]
    each = [pair for results in found for pair in results]
    return MatchBatchRecord(
        ids=tuple(lesson.id for lesson in lessons),
        start=np.cumsum([0, *lengths]).astype(np.int32),
        states=np.array(states, dtype=np.uint64),
        moves=np.array(moves, dtype=np.int32),
        goals=np.full((len(lessons), roles), _UNFINISHED, dtype=np.int32),
        visit_start=np.cumsum([0, *visits]).astype(np.int64),
        visit_row=np.concatenate([rows for rows, _ in each]).astype(np.int32),
        visit_count=np.concatenate([counts for _, counts in each]).astype(np.int32),
        players=np.zeros((len(lessons), roles), dtype=np.int32),
        playouts=np.array([[playouts * len(results)] * roles for results in found], dtype=np.int64),
    )
