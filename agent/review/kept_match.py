"""A match in a file: a match record, or the JSON object that `agent play`, `agent referee` and the laboratory print."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gdl_miner.agent.errors import MoveError, RecordError, RuleError, why_unreadable
from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reading import read_bounded
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.review.replayed import replayed_steps
from gdl_miner.agent.search.record_xml import read_records
from gdl_miner.agent.search.records import NO_MOVE, MatchBatchRecord, select_places


class KeptSearch(NamedTuple):
    """What a file says about the search for one move."""

    playouts: int | None = None
    value: float | None = None  # mean goal that the player expected of its move, 0..100
    fault: str = ""  # why another move was made in place of the player's: late, illegal, unreachable


@dataclass(frozen=True, eq=False)
class KeptMatch:
    """A match by the rules of its game."""

    name: str
    record: MatchBatchRecord  # of this match alone
    role: int | None = None  # the player whose match it is; None where the file does not say
    opening: int = 0  # joint moves at the beginning that were drawn at random
    searches: Mapping[int, KeptSearch] = field(default_factory=dict)  # of this player, by ply

    @property
    def plies(self) -> int:
        """The number of joint moves."""
        return len(self.record.moves) - 1

    @property
    def goals(self) -> tuple[int | None, ...]:
        """[role] the goals, None where the rules give none or the match is not over."""
        return tuple(None if goal < 0 else int(goal) for goal in self.record.goals[0])


def read_kept_match(path: Path, machine: Machine, match: str | None = None) -> KeptMatch:
    """Read a match, which is JSON where its name ends in `.json`, and a record elsewhere.

    Args:
        path: the file.
        machine: the game.
        match: id of the match in a record of several.

    Raises RecordError where the file cannot be read, does not follow the rules, or has several matches and none named.
    """
    if path.suffix == ".json":
        return _of_json(path, machine)
    records = read_records(path, machine)
    if match is None and records.n_matches != 1:
        raise RecordError(f"{path}: {records.n_matches} matches; name one with --match: {', '.join(records.ids[:8])}")
    if match is not None and match not in records.ids:
        raise RecordError(f"{path}: no match {match}; it has {', '.join(records.ids[:8])}")
    number = 0 if match is None else records.ids.index(match)
    for _ in replayed_steps(machine, records, number, path):
        pass  # each step is checked as it comes
    record = select_places(records, np.array([number]))
    if record.moves[-1, 0] != NO_MOVE:
        raise RecordError(f"{path}: match {records.ids[number]} has no last state; mend the record")
    return KeptMatch(records.ids[number], record)


def _of_json(path: Path, machine: Machine) -> KeptMatch:
    display = machine.sheet.display
    try:
        content: dict[str, Any] = json.loads(read_bounded(path))
        played = OngoingMatch(machine)
        for joint in content["moves"]:
            played.advance(joint)
        names = [display(name) for name in machine.roles]
        role = None if "role" not in content else names.index(content["role"])
        record = played.record(str(content.get("match", path.stem)))
        totals = content.get("playouts")
        if isinstance(totals, list):
            record.playouts[0] = totals
        return KeptMatch(
            record.ids[0],
            record,
            role,
            int(content.get("opening_plies", 0)),
            {} if role is None else _searches(content, names[role]),
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, MoveError, RuleError) as error:
        what = str(error) if isinstance(error, MoveError) else why_unreadable(error)
        raise RecordError(
            f"{path}: no match of {machine.sheet.name} ({what}); give a record, or what `agent play --json`, `agent "
            "referee --json` or `scripts/lab opponents --out` wrote"
        ) from None


def _searches(content: Mapping[str, Any], role: str) -> dict[int, KeptSearch]:
    """Return by ply what is known of the searches of the role whose match it is."""
    found = {
        int(move["ply"]): KeptSearch(move.get("playouts"), move.get("value"), move.get("fault") or "")
        for move in content.get("own_moves", ())
    }
    for fault in content.get("faults", ()):
        if fault["role"] == role and fault["move"]:
            ply = fault["move"] - 1
            found[ply] = found.get(ply, KeptSearch())._replace(fault=fault["what"])
    return found
