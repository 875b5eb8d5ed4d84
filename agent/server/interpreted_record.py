"""The record of a match that was played without a circuit; it has only the names that occurred in the match."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.gdl.rules import RuleSheet
from gdl_miner.agent.search.records import NO_MOVE, MatchBatchRecord

__all__ = ["History", "SeenGame", "seen_match"]


class History(NamedTuple):
    """The states and joint moves of a match so far."""

    states: tuple[frozenset[str], ...]  # canonical facts; one state more than joint moves
    joints: tuple[tuple[str, ...], ...]  # [move][role] canonical moves
    goals: tuple[int | None, ...]  # [role]; None if the match is not over, or if the rules give no goal


@dataclass(frozen=True)
class _SeenNames:
    fluents: tuple[str, ...]
    moves: tuple[str, ...]
    roles: tuple[str, ...]
    move_start: NDArray[np.int32]


@dataclass(frozen=True)
class SeenGame:
    """The part of a game that the record of one match needs; `write_records` takes it in place of a machine."""

    sheet: RuleSheet
    circuit: _SeenNames


def seen_match(sheet: RuleSheet, history: History, name: str) -> tuple[MatchBatchRecord, SeenGame]:
    """Return a record of one match without visits, and the game that the numbers of the record refer to."""
    roles, n_steps = sheet.roles, len(history.states)
    fluents = tuple(sorted(frozenset().union(*history.states)))
    made = [sorted({joint[role] for joint in history.joints}) for role in range(len(roles))]
    starts = list(accumulate(map(len, made), initial=0))
    rows = [{move: starts[role] + place for place, move in enumerate(moves)} for role, moves in enumerate(made)]
    holds = np.zeros((n_steps, (len(fluents) + 63) // 64 * 64), np.uint8)
    for step, state in enumerate(history.states):
        holds[step, [number for number, fluent in enumerate(fluents) if fluent in state]] = 1
    moves = np.full((n_steps, len(roles)), NO_MOVE, np.int32)
    for step, joint in enumerate(history.joints):
        moves[step] = [rows[role][move] for role, move in enumerate(joint)]
    record = MatchBatchRecord(
        ids=(name,),
        start=np.array([0, n_steps], np.int32),
        states=np.packbits(holds, axis=1, bitorder="little").view("<u8").astype(np.uint64),
        moves=moves,
        goals=np.array([[-1 if goal is None else goal for goal in history.goals]], np.int32),
        visit_start=np.zeros(n_steps + 1, np.int64),
        visit_row=np.empty(0, np.int32),
        visit_count=np.empty(0, np.int32),
        players=np.arange(len(roles), dtype=np.int32)[None],
        playouts=np.zeros((1, len(roles)), np.int64),
    )
    names = _SeenNames(fluents, tuple(move for role in made for move in role), roles, np.array(starts, np.int32))
    return record, SeenGame(sheet, names)
