"""The record of a batch of matches as arrays: states, moves, goals and root visits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.errors import RecordError
from gdl_miner.agent.files.array_archive import load_arrays, pack_arrays, unpack_arrays
from gdl_miner.agent.reasoner.circuit import Circuit

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

    def __reduce__(self) -> tuple[Callable[[bytes], MatchBatchRecord], tuple[bytes]]:
        """Travel between processes as an archive, which is four to ten times smaller than the arrays."""
        return _unpack_record, (pack_record(self),)

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


def without_visits(record: MatchBatchRecord, kept: Collection[str]) -> MatchBatchRecord:
    """Return the record with the visits of searches of the matches with these ids only; mining alone reads visits."""
    keeps = np.array([name in kept for name in record.ids], np.bool_)[record.match_of_step()]
    counts = np.diff(record.visit_start)
    of_kept = np.repeat(keeps, counts)
    start = np.zeros_like(record.visit_start)
    np.cumsum(np.where(keeps, counts, 0), out=start[1:])
    return replace(
        record, visit_start=start, visit_row=record.visit_row[of_kept], visit_count=record.visit_count[of_kept]
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


def load_record(path: Path, circuit: Circuit) -> MatchBatchRecord:
    """Read an archive file of matches of a game.

    Raises RecordError where it is missing, damaged or too large, or holds what no match of the game has.
    """
    try:
        record = _record_of(load_arrays(path))
        _check_ranges(record, circuit)
    except (ValueError, KeyError, IndexError) as error:
        what = f"there is no array {error}" if isinstance(error, KeyError) else error
        raise RecordError(f"{path}: the record is missing or damaged ({what}); restore it, or start anew") from error
    return record


def _unpack_record(content: bytes) -> MatchBatchRecord:
    return _record_of(unpack_arrays(content))


def _record_of(arrays: dict[str, NDArray[Any]]) -> MatchBatchRecord:
    """Return the record that has these arrays. Raises KeyError or ValueError where it has others."""
    for name, (kind, dimensions) in _KINDS.items():
        array = arrays[name]
        if array.dtype.kind != "U" if kind is np.str_ else array.dtype != kind:
            raise ValueError(f"{name} has entries of {array.dtype}, not {kind.__name__}")
        if array.ndim != dimensions:
            raise ValueError(f"{name} has {array.ndim} dimensions, not {dimensions}")
    ids = tuple(str(name) for name in arrays["ids"])
    return MatchBatchRecord(ids=ids, **{name: arrays[name] for name in _KINDS if name != "ids"})


_KINDS: Mapping[str, tuple[type[np.generic], int]] = MappingProxyType(  # type of the entries, and dimensions
    {
        "ids": (np.str_, 1),
        "start": (np.int32, 1),
        "states": (np.uint64, 2),
        "moves": (np.int32, 2),
        "goals": (np.int32, 2),
        "visit_start": (np.int64, 1),
        "visit_row": (np.int32, 1),
        "visit_count": (np.int32, 1),
        "players": (np.int32, 2),
        "playouts": (np.int64, 2),
    }
)


def _check_ranges(record: MatchBatchRecord, circuit: Circuit) -> None:
    """Raise ValueError where a record has what no match of the game can have, so that native code may rely on it."""
    if record.n_roles != circuit.n_roles or record.states.shape[1] != circuit.state_words:
        raise ValueError(f"{record.n_roles} roles and states of {record.states.shape[1]} words are of another game")
    if circuit.n_fluents % 64 and len(record.states) and int(record.states[:, -1].max()) >> circuit.n_fluents % 64:
        raise ValueError("states has fluents that the game does not have")
    rows = circuit.move_start
    for name, numbers, least, most in (
        *(
            (
                f"moves of role {role}",
                record.moves[:, role][record.moves[:, role] != NO_MOVE],
                rows[role],
                rows[role + 1] - 1,
            )
            for role in range(circuit.n_roles)
        ),
        ("visit_row", record.visit_row, 0, circuit.n_rows - 1),
        ("visit_count", record.visit_count, 0, None),
        ("goals", record.goals, -1, 100),
        ("players", record.players, 0, None),
        ("playouts", record.playouts, 0, None),
    ):
        if numbers.size and (numbers.min() < least or (most is not None and numbers.max() > most)):
            raise ValueError(f"{name} has {numbers.min()} to {numbers.max()}, beyond what the game has")
