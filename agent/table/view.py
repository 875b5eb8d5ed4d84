"""Data for the browser: positions and results of searches as values that become JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gdl_miner.agent.board import looks_of, picture_of
from gdl_miner.agent.errors import MoveError
from gdl_miner.agent.features import feature_in_words
from gdl_miner.agent.geometry import Position
from gdl_miner.agent.knowledge import Knowledge, Phase
from gdl_miner.agent.knowledge.scoring import UNIT, firing_features
from gdl_miner.agent.player import Thought
from gdl_miner.agent.table.table import SeatKind, Table


def describe_position(table: Table, turned: bool) -> dict[str, Any]:
    """Return the position now: the board, the seats, the moves of the person to choose, and the moves made."""
    match, sheet, machine = table.match, table.machine.sheet, table.machine
    facts = match.facts
    waiting = table.waits_for(*table.kinds)
    person = next(iter(table.waits_for(SeatKind.YOU)), None)
    board = ""
    if machine.board is not None:
        last = {point for row in match.last_rows.tolist() for point in table.names.path(row)}
        board = picture_of(machine.board, machine.fluents, facts, sheet.display, last, looks_of(machine)).svg(
            turned=turned
        )
    others = [fact for fact in facts if machine.board is None or machine.board.field(fact) is None]
    goals = match.goals if match.ended else (None,) * len(machine.roles)
    return {
        "game": sheet.name,
        "knowledge": table.knowledge_name,
        "number": match.number,
        "ended": match.ended,
        "turned": turned,
        "board": board,
        "facts": [sheet.display(fact) for fact in others],
        "every": [sheet.display(fact) for fact in facts],
        "kinds": [str(kind) for kind in table.kinds],
        "roles": [
            {
                "name": sheet.display(name),
                "seat": str(table.seats[role]),
                "goal": goals[role],
                "waiting": role in waiting,
            }
            for role, name in enumerate(machine.roles)
        ],
        "person": person,
        "moves": [] if person is None else describe_moves(table, table.legal(person)),
        "history": [
            _in_words([table.names.label(machine.row(role, move)) for role, move in enumerate(joint)])
            for joint in match.joints
        ],
    }


def describe_moves(table: Table, rows: Iterable[int]) -> list[dict[str, Any]]:
    """Return moves as the rules spell them, with the fields they name and a label, short if it is unambiguous."""
    moves, display = table.machine.circuit.moves, table.machine.sheet.display
    labels = {row: table.names.label(row) for row in rows}
    shared = Counter(labels.values())
    return [
        {
            "row": row,
            "text": display(moves[row]),
            "label": label if shared[label] == 1 else display(moves[row]),
            "path": [" ".join(map(str, point)) for point in table.names.path(row)],
        }
        for row, label in labels.items()
    ]


def _in_words(joint: Sequence[str]) -> str:
    """Return a joint move as text, without the roles that only wait."""
    return ", ".join([move for move in joint if move.lower() != "noop"] or joint[:1])


class FiredFeatures:
    """The features of the knowledge that fire for the legal moves of a role, in words."""

    def __init__(self, words: Sequence[str], fires: dict[int, list[tuple[int, float]]]) -> None:
        self.words = words
        self.fires = fires  # by row: index into `words` and weight of each feature


def fired_features(table: Table, knowledge: Knowledge | None, role: int) -> FiredFeatures:
    """Find the effective features that fire for each legal move, by their definitions; none without knowledge."""
    if knowledge is None or table.match.ended:
        return FiredFeatures((), {})
    position = Position.of(table.geometry, table.match.state, table.match.last_rows.tolist())
    selects = knowledge.parameters.features_in_selection
    words: dict[str, int] = {}
    fires: dict[int, list[tuple[int, float]]] = {row: [] for row in table.legal(role)}
    phase = Phase.SELECTION if selects else Phase.PLAYOUT
    for weighted, rows in firing_features(knowledge, position, role, list(fires), phase):
        text = feature_in_words(weighted.feature, weighted.itemset, table.machine.sheet.display)
        number = words.setdefault(text, len(words))
        for row in rows:
            fires[row].append((number, weighted.weight / UNIT))
    return FiredFeatures(tuple(words), fires)


def describe_reasons(table: Table, row: int) -> dict[str, Any]:
    """Return what a legal move changes by the weights of values, the strongest first, with the worth of the move.

    Raises MoveError for another move, and where nothing explains it.
    """
    if table.worth is None:
        raise MoveError("there are no values that explain this move")
    found = table.worth.reasons(table.match.state, row)
    return {
        "row": row,
        "worth": round(found.worth, 2),
        "ended": found.ended,
        "reasons": [
            {
                "weight": round(each.weight, 4),
                "words": each.words,
                "cells": [" ".join(map(str, cell)) for cell in each.cells],
            }
            for each in found.changes
        ],
    }


def describe_thought(
    table: Table,
    role: int,
    thought: Thought,
    line: Iterable[Sequence[int]],
    fired: FiredFeatures,
    worth: Mapping[int, float],
) -> dict[str, Any]:
    """Return a search so far: every legal move, best first, with visits, value, worth and the features that fire."""
    display = table.machine.sheet.display
    described = {move["row"]: move for move in describe_moves(table, [move.row for move in thought.moves])}
    return {
        "role": display(table.machine.roles[role]),
        "number": table.match.number + 1,
        "playouts": thought.playouts,
        "seconds": round(thought.seconds, 2),
        "nodes": thought.nodes,
        "bytes": thought.bytes,
        "line": [_in_words([table.names.label(row) for row in joint]) for joint in line],
        "words": list(fired.words),
        "moves": [
            described[move.row]
            | {
                "visits": move.visits,
                "verdict": move.verdict,
                "value": None if math.isnan(move.value) else round(move.value, 2),
                "worth": None if move.row not in worth else round(worth[move.row], 2),
                "features": [[number, round(weight, 3)] for number, weight in fired.fires.get(move.row, ())],
            }
            for move in thought.moves
        ],
    }
