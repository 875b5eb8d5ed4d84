"""Training positions: positions of a generation's matches, searched deeper than they were in play.

A deeper search tells far more about the moves of a position than the visits of the match itself, and a sample of
positions costs less than whole matches of that depth, for the positions of one match resemble each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.player import PlayerSpec
from gdl_miner.agent.search.records import NO_MOVE, MatchBatchRecord
from gdl_miner.agent.search.seeds import derive_seed
from gdl_miner.agent.search.uct import SearchResult, search_positions
from gdl_miner.miner.mining.role_record import RoleRecord
from gdl_miner.miner.play.prepared_game import PreparedGame

__all__ = ["TrainingPosition", "choose_training_positions", "search_training_positions"]

_UNFINISHED = -1  # goal of a training position, which has no result


@dataclass(frozen=True, eq=False)
class TrainingPosition:
    """A position to search, with the joint move that led to it."""

    id: str
    seed: int
    state: NDArray[np.uint64]  # [word]
    before: NDArray[np.uint64] | None  # [word] the state before; None at the start of a match
    joint: NDArray[np.int32]  # [role] the joint move made in `before`; NO_MOVE at the start of a match


def choose_training_positions(
    record: MatchBatchRecord, machine: Machine, budget: int, seed: int
) -> tuple[TrainingPosition, ...]:
    """At most `budget` positions of every role's decisions, sampled evenly by match id, move number and seed alone."""
    chosen: set[int] = set()
    for role in range(len(machine.roles)):
        chosen |= set(RoleRecord(record, machine, role).sample_decisions(budget, seed).tolist())
    match, last = record.match_of_step(), record.last_rows()
    positions = []
    for step in sorted(chosen):
        name = f"{record.ids[match[step]]}-{step - int(record.start[match[step]]):04d}"
        first = last[step, 0] == NO_MOVE
        before = None if first else record.states[step - 1]
        positions.append(
            TrainingPosition(name, derive_seed(seed, "lesson", name), record.states[step], before, last[step])
        )
    return tuple(positions)


def search_training_positions(
    game: PreparedGame, teacher: PlayerSpec, positions: tuple[TrainingPosition, ...]
) -> MatchBatchRecord:
    """Search the positions and return an unfinished match for each, whose last state carries the root visits."""
    found = search_positions(
        game.machine(),
        np.array([position.state for position in positions]),
        teacher,
        [position.seed for position in positions],
        last_rows=np.array([position.joint for position in positions]),
    )
    return _record(positions, found, teacher.playouts)


def _record(
    positions: Sequence[TrainingPosition], found: Sequence[Sequence[SearchResult]], playouts: int
) -> MatchBatchRecord:
    """The searches as matches; `found[position]` has a result for each role that has a choice there."""
    roles = len(positions[0].joint)
    states: list[NDArray[np.uint64]] = []
    moves: list[NDArray[np.int32]] = []
    visits: list[int] = []  # [step] number of visits
    for position, results in zip(positions, found, strict=True):
        if position.before is not None:
            states.append(position.before)
            moves.append(position.joint)
            visits.append(0)
        states.append(position.state)
        moves.append(np.full(roles, NO_MOVE, np.int32))
        visits.append(sum(len(result.rows) for result in results))
    lengths = [1 if position.before is None else 2 for position in positions]
    every = [result for results in found for result in results]
    return MatchBatchRecord(
        ids=tuple(position.id for position in positions),
        start=np.cumsum([0, *lengths]).astype(np.int32),
        states=np.array(states, dtype=np.uint64),
        moves=np.array(moves, dtype=np.int32),
        goals=np.full((len(positions), roles), _UNFINISHED, dtype=np.int32),
        visit_start=np.cumsum([0, *visits]).astype(np.int64),
        visit_row=np.concatenate([result.rows for result in every]).astype(np.int32),
        visit_count=np.concatenate([result.visits for result in every]).astype(np.int32),
        players=np.zeros((len(positions), roles), dtype=np.int32),
        playouts=np.array([[playouts * len(results)] * roles for results in found], dtype=np.int64),
    )
