"""Recorded matches, played again by the rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gdl_miner.agent.errors import RecordError
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.search.records import NO_MOVE, MatchBatchRecord


def replayed_steps(machine: Machine, records: MatchBatchRecord, number: int, path: Path) -> Iterator[dict[str, Any]]:
    """Yield the facts and moves of every step of a match. Raises RecordError where the rules contradict the record."""
    first, last = int(records.start[number]), int(records.start[number + 1])
    state = machine.initial()
    for step in range(first, last):
        place = f"{path}: match {records.ids[number]}, state {step - first}"
        if not np.array_equal(records.states[step], state):
            raise RecordError(f"{place}: not the state the rules lead to; mend the record")
        joint = records.moves[step].tolist()
        facts = [machine.sheet.display(fact) for fact in machine.facts(state)]
        if NO_MOVE in joint:
            _check_end(machine, records, number, place)
            yield {"facts": facts, "moves": None}
            return
        for role, row in enumerate(joint):
            if row not in machine.legal(state)[role]:
                move = machine.sheet.display(machine.circuit.moves[row])
                raise RecordError(f"{place}: {machine.roles[role]} cannot play {move}; mend the record")
        yield {"facts": facts, "moves": [machine.sheet.display(machine.circuit.moves[row]) for row in joint]}
        state = machine.next(state, joint)


def _check_end(machine: Machine, records: MatchBatchRecord, number: int, place: str) -> None:
    last = records.states[int(records.start[number + 1]) - 1]
    recorded = [None if goal < 0 else int(goal) for goal in records.goals[number]]
    if not machine.terminal(last):
        if any(goal is not None for goal in recorded):
            raise RecordError(f"{place}: goals {recorded}, but the match is not over here; mend the record")
        return
    given = list(machine.goals(last))
    if any(a != b and not (a is None and b == 0) for a, b in zip(given, recorded, strict=True)):
        raise RecordError(f"{place}: goals {recorded}, but the rules give {given}; mend the record")
