"""The record of a batch of matches as arrays: states, moves, goals and root visits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import RecordError
from gdl_miner.agent.files.array_archive import load_arrays, pack_arrays

NO_MOVE = -1


@dataclass(frozen=True, eq=False)
class MatchBatchRecord:
    """Matches of one game, one after the other. A match has one step per state; its last step is its final state."""

    ids: tuple[str, ...]  # [match]
    start: NDArray[np.int32]  # [match + 1] into the steps
    states: NDArray[np.uint64]  # [step, word] packed
    moves: NDArray[np.int32]  # [step, role] global rows; NO_MOVE in a final step
    goals: NDArray[np.int32]  # [match, role] 0..100, -1 where the rules give none
    visit_start: NDArray[np.int64]  # [step + 1] into the visits
    visit_row: NDArray[np.int32]  # [visit] a legal row of a role that searched
    visit_count: NDArray[np.int32]  # [visit] visits of the row at the root of that search
    players: NDArray[np.int32]  # [match, role] index of the player in each seat
    playouts: NDArray[np.int64]  # [match, role] playouts made in the whole match

    def __post_init__(self) -> None:
        n_matches, n_steps = len(self.ids), len(self.states)
        shapes = {
            "start": (n_matches + 1,),
            "moves": (n_steps, self.goals.shape[1]),
            "goals": (n_matches, self.goals.shape[1]),
            "visit_start": (n_steps + 1,),
            "visit_count": self.visit_row.shape,
            "players": self.goals.shape,
            "playouts": self.goals.shape,
        }
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise ValueError(f"record of {n_matches} matches: {name} is {getattr(self, name).shape}, not {shape}")
        if self.start[0] != 0 or self.start[-1] != n_steps or (np.diff(self.start) < 1).any():
            raise ValueError(f"record of {n_matches} matches: start does not ascend from 0 to {n_steps}")
        if (
            self.visit_start[0] != 0
            or self.visit_start[-1] != len(self.visit_row)
            or (np.diff(self.visit_start) < 0).any()
        ):
            raise ValueError(
                f"record of {n_matches} matches: visit_start does not lead to {len(self.visit_row)} visits"
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MatchBatchRecord):
            return NotImplemented
        return all(np.array_equal(getattr(self, each.name), getattr(other, each.name)) for each in fields(self))

    __hash__ = None  # type: ignore[assignment] # arrays do not hash

    @property
    def n_matches(self) -> int:
        """Number of matches."""
        return len(self.ids)

    @property
    def n_roles(self) -> int:
        """Number of roles of the game."""
        return int(self.goals.shape[1])

    def last_rows(self) -> NDArray[np.int32]:
        """[step, role] rows of the joint move that led to each step's state, NO_MOVE at the start of a match."""
        rows = np.full_like(self.moves, NO_MOVE)
        rows[1:] = self.moves[:-1]
        rows[self.start[:-1]] = NO_MOVE
        return rows

    def match_of_step(self) -> NDArray[np.int32]:
        """[step] index of the match."""
        return np.repeat(np.arange(self.n_matches, dtype=np.int32), np.diff(self.start))


def concatenate_records(records: Sequence[MatchBatchRecord]) -> MatchBatchRecord:
    """Join records of the same game into one, in order. Raises ValueError where there are none."""
    if not records:
        raise ValueError("no records to concatenate; give at least one")

    return MatchBatchRecord(
        ids=tuple(name for record in records for name in record.ids),
        start=_joined_starts([record.start for record in records]),
        states=np.concatenate([record.states for record in records]),
        moves=np.concatenate([record.moves for record in records]),
        goals=np.concatenate([record.goals for record in records]),
        visit_start=_joined_starts([record.visit_start for record in records]),
        visit_row=np.concatenate([record.visit_row for record in records]),
        visit_count=np.concatenate([record.visit_count for record in records]),
        players=np.concatenate([record.players for record in records]),
        playouts=np.concatenate([record.playouts for record in records]),
    )


def select_matches(record: MatchBatchRecord, ids: Sequence[str]) -> MatchBatchRecord:
    """Return the matches with these ids, in this order. Raises KeyError where one is not in the record."""
    place = {name: number for number, name in enumerate(record.ids)}
    return select_places(record, np.array([place[name] for name in ids], dtype=np.int64))


def select_places(record: MatchBatchRecord, chosen: NDArray[np.int64]) -> MatchBatchRecord:
    """Return the matches at these places of the record, in this order."""
    steps, start = _gather(record.start.astype(np.int64), chosen)
    visits, visit_start = _gather(record.visit_start, steps)
    return MatchBatchRecord(
        ids=tuple(record.ids[place] for place in chosen.tolist()),
        start=start.astype(record.start.dtype),
        states=record.states[steps],
        moves=record.moves[steps],
        goals=record.goals[chosen],
        visit_start=visit_start,
        visit_row=record.visit_row[visits],
        visit_count=record.visit_count[visits],
        players=record.players[chosen],
        playouts=record.playouts[chosen],
    )


_Integer = TypeVar("_Integer", np.int32, np.int64)


def _joined_starts(starts: Sequence[NDArray[_Integer]]) -> NDArray[_Integer]:
    joined = np.zeros(1 + sum(len(each) - 1 for each in starts), dtype=starts[0].dtype)
    np.cumsum(np.concatenate([np.diff(each) for each in starts]), out=joined[1:])
    return joined


def _gather(start: NDArray[np.int64], chosen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions of all elements of the chosen segments, and the offsets of the segments among them."""
    lengths = start[chosen + 1] - start[chosen]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    positions = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - start[chosen], lengths)
    return positions.astype(np.int64), offsets


def pack_record(record: MatchBatchRecord) -> bytes:
    """Return the content of an archive file, from which interrupted runs are resumed; the readable form is XML."""
    arrays = {each.name: np.asarray(getattr(record, each.name)) for each in fields(record)}
    return pack_arrays({**arrays, "ids": np.array(record.ids, dtype=np.str_)})


def load_record(path: Path) -> MatchBatchRecord:
    """Read an archive file. Raises RecordError where it is missing, damaged or too large."""
    try:
        arrays = load_arrays(path)
        found = {each.name: arrays[each.name] for each in fields(MatchBatchRecord)}
    except (ValueError, KeyError) as error:
        raise RecordError(
            f"{path}: the record is missing or damaged ({error}); remove the file's run and start anew"
        ) from error
    ids = tuple(str(name) for name in found.pop("ids"))
    return MatchBatchRecord(ids=ids, **found)
