"""`agent replay`: go through recorded matches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Annotated, Any

import numpy as np
import typer

from gdl_miner.agent.board import picture_of
from gdl_miner.agent.commands.options import (
    DEFAULT_BUDGET,
    DEFAULT_BUDGET_MEMORY,
    BudgetMemory,
    BudgetSeconds,
    Game,
    Json,
    report_progress,
)
from gdl_miner.agent.errors import RecordError
from gdl_miner.agent.reasoner.machine import Machine, load_machine
from gdl_miner.agent.search.record_xml import read_records
from gdl_miner.agent.search.records import NO_MOVE, MatchBatchRecord


def replay(
    game: Game,
    record: Annotated[Path, typer.Argument(help="A match record (.xml or .xml.gz).", show_default=False)],
    match: Annotated[str | None, typer.Option(help="Id of the match to show.", show_default="all")] = None,
    board: Annotated[bool, typer.Option(help="Show the positions between the moves.")] = True,
    budget: BudgetSeconds = DEFAULT_BUDGET,
    budget_memory: BudgetMemory = DEFAULT_BUDGET_MEMORY,
    as_json: Json = False,
) -> None:
    """Play recorded matches again, move by move, checking every state, move and goal against the rules."""
    machine = load_machine(game, budget_s=budget, memory_mib=budget_memory, progress=report_progress)
    records = read_records(record, machine)
    chosen = [number for number, name in enumerate(records.ids) if match is None or name == match]
    if not chosen:
        raise RecordError(f"{record}: no match {match}; it has {', '.join(records.ids[:8])}")
    for number in chosen:
        steps = list(_steps(machine, records, number, record))
        if as_json:
            goals = [None if goal < 0 else int(goal) for goal in records.goals[number]]
            print(json.dumps({"match": records.ids[number], "goals": goals, "steps": steps}))
        else:
            _print(machine, records, number, steps, board=board)


def _steps(machine: Machine, records: MatchBatchRecord, number: int, path: Path) -> Iterator[dict[str, Any]]:
    """Yield the facts and moves of every step. Raises RecordError where the rules contradict the record."""
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


def _print(
    machine: Machine, records: MatchBatchRecord, number: int, steps: list[dict[str, Any]], *, board: bool
) -> None:
    sheet = machine.sheet
    print(f"match {records.ids[number]}: {len(steps) - 1} moves")
    for count, step in enumerate(steps):
        if board:
            facts = machine.facts(records.states[int(records.start[number]) + count])
            picture = picture_of(machine.board, machine.fluents, facts, sheet.display) if machine.board else None
            print(indent(picture.text(), "  ") if picture else "  " + " ".join(step["facts"]))
        if step["moves"] is not None:
            moves = zip(machine.roles, step["moves"], strict=True)
            shown = [f"{machine.sheet.display(role)} {move}" for role, move in moves if move.lower() != "noop"]
            print(f"{count + 1:4}  {', '.join(shown)}")
    goals = zip(machine.roles, records.goals[number].tolist(), strict=True)
    shown = [f"{machine.sheet.display(role)} {'no goal' if goal < 0 else goal}" for role, goal in goals]
    print(f"result: {', '.join(shown)}")
