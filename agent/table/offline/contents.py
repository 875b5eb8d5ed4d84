"""The contents of the page: the rules as numbers, the board as drawings, the knowledge, and the words for them."""

from __future__ import annotations

from dataclasses import fields
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_miner.agent.board import CELL, Layout, MoveNames, draw_piece, looks_of, picture_of
from gdl_miner.agent.errors import KnowledgeError
from gdl_miner.agent.geometry import NOWHERE, geometry_of
from gdl_miner.agent.knowledge import Knowledge, Parameters
from gdl_miner.agent.player.player import WITHOUT_KNOWLEDGE
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.table.offline.firing_ways import features_of
from gdl_miner.agent.table.offline.packing import Packing
from gdl_miner.agent.values import MOST_COST, PlayableCells, RelaxedCosts, ValueLayout, ValueView, layout_of, weights_of

_DECIMALS = 4  # of weights in the page, as in the tables beside knowledge files


def contents_of(machine: Machine, knowledge: Knowledge | None, name: str) -> str:
    """Return the packed content of the page; `name` is that of the knowledge file.

    Raises KnowledgeError for knowledge that does not fit the game, or that the page cannot play with.
    """
    packing = Packing()
    display = machine.sheet.display
    known = None if knowledge is None or knowledge.empty else knowledge  # as players take it
    content = {
        "game": machine.sheet.name,
        "knowledge": None if known is None else _knowledge(machine, known, name, packing),
        "plain": _parameters(WITHOUT_KNOWLEDGE),
        "roles": [display(role) for role in machine.roles],
        "fluents": "\n".join(map(display, machine.fluents)),
        "moves": "\n".join(map(display, machine.circuit.moves)),
        "rules": _rules(machine, packing),
        "board": _board(machine, packing),
    }
    return packing.text(content)


def _rules(machine: Machine, packing: Packing) -> dict[str, Any]:
    circuit = machine.circuit
    return {
        "chance": circuit.chance_role,
        "stateGateCount": circuit.n_state_gates,
        "terminalLiteral": circuit.terminal,
        "moveStart": packing.add(circuit.move_start),
        "setStart": packing.add(circuit.set_start),
        "setRows": packing.add(circuit.set_rows),
        "gateStart": packing.add(circuit.gate_start),
        "gateLiterals": packing.add(circuit.gate_literals),
        "loops": packing.add(circuit.loops),
        "loopInitial": packing.add(circuit.loop_initial),
        "legalLiterals": packing.add(circuit.legal),
        "goalRole": packing.add(circuit.goal_role),
        "goalValue": packing.add(circuit.goal_value),
        "goalLiteral": packing.add(circuit.goal_literal),
        "next": packing.add(circuit.next),
        "initialFluents": packing.add(circuit.initial),
    }


def _board(machine: Machine, packing: Packing) -> dict[str, Any] | None:
    """Return the empty board from both sides, its pieces, and the fields of fluents and moves; None without a board."""
    board = machine.board
    if board is None:
        return None
    display, geometry, names = machine.sheet.display, geometry_of(machine), MoveNames(machine)
    looks = looks_of(machine)
    empty = picture_of(board, machine.fluents, [], display)
    layouts = [Layout(empty.points, turned=turned, hexagonal=board.hexagonal) for turned in (False, True)]
    nameless = board.board_functor if "piece" not in board.board_pattern else None
    paths = [
        [geometry.point_index.get(point, NOWHERE) for point in names.path(row)] for row in range(machine.circuit.n_rows)
    ]
    return {
        "cell": CELL,
        "points": [" ".join(map(str, point)) for point in geometry.points.tolist()],
        "pictures": [empty.svg(turned=turned) for turned in (False, True)],
        "places": [{" ".join(map(str, point)): layout.place(point) for point in layout.points} for layout in layouts],
        "pieces": [
            {
                "name": display(piece),
                "picture": draw_piece("×" if piece == nameless else looks.get(piece, piece), 0.0, 0.0),
            }
            for piece in geometry.pieces
        ],
        "fluentPoint": packing.add(geometry.fluent_point),
        "fluentPiece": packing.add(geometry.fluent_piece),
        "pathStart": packing.add(list(accumulate(map(len, paths), initial=0))),
        "pathPoints": packing.add([point for path in paths for point in path]),
        "movePiece": packing.add(geometry.move_piece),
    }


def _knowledge(machine: Machine, knowledge: Knowledge, name: str, packing: Packing) -> dict[str, Any]:
    parameters = knowledge.parameters
    _require_playable(machine, parameters, name, values=knowledge.values is not None)
    values = None
    if knowledge.values is not None:
        layout = layout_of(knowledge.values, machine)
        values = _values(layout, weights_of(knowledge.values, layout), packing)
    return {
        "name": name,
        "parameters": _parameters(parameters),
        "values": values,
        "features": features_of(knowledge, machine, packing),
    }


def _require_playable(machine: Machine, parameters: Parameters, name: str, *, values: bool) -> None:
    """Raise KnowledgeError for knowledge with which the page cannot play as the player does."""
    simulates = not values or parameters.value_weight < 1 or parameters.trusted_playouts or parameters.valued_playouts
    if simulates and machine.decisive_moves(parameters.decisive_moves).settled != "off":
        raise KnowledgeError(
            f"{name}: its playouts prefer decisive moves ({parameters.decisive_moves}), which a browser cannot find "
            "fast enough; export it with --option decisive_moves=off"
        )


def _parameters(parameters: Parameters) -> dict[str, Any]:
    """Return the parameters that searches read, those of the weights of features left out."""
    values = {each.name: getattr(parameters, each.name) for each in fields(parameters)}
    return {name: value for name, value in values.items() if isinstance(value, int | float | str)}


def _values(layout: ValueLayout, weights: NDArray[np.float32], packing: Packing) -> dict[str, Any]:
    network = layout.network
    mask = np.unpackbits(network.stage_mask.view(np.uint8), bitorder="little")
    room = 1 + max((int(each.tuple_weight.max(initial=-1)) for each in network.views), default=0)
    full = np.zeros(max(room, len(weights)), np.float64)
    full[: len(weights)] = weights
    return {
        "players": list(network.players),
        "outputCount": network.n_outputs,
        "turnFluents": network.turn_fluents.tolist(),
        "stageFluents": packing.add(np.flatnonzero(mask)),
        "stageNumbers": network.stage_numbers.tolist(),
        "views": [_view(each, packing) for each in network.views],
        "unit": 10**_DECIMALS,
        "weights": packing.add(np.rint(full * 10**_DECIMALS)),
        "cells": None if network.cells is None else _cells(network.cells, len(layout.machine.fluents), packing),
        "costs": None if network.costs is None else _costs(network.costs, layout.first_cost, packing),
    }


def _view(view: ValueView, packing: Packing) -> dict[str, Any]:
    return {
        "factWeight": packing.add(view.fact_weight),
        "termStart": packing.add(view.term_start),
        "termTuple": packing.add(view.term_tuple),
        "term": packing.add(view.term),
        "tupleWeight": packing.add(view.tuple_weight),
        "against": view.against,
    }


def _cells(cells: PlayableCells, n_fluents: int, packing: Packing) -> dict[str, Any]:
    piece_cell = np.full(n_fluents, NOWHERE, np.int32)
    piece_cell[cells.pieces] = np.repeat(np.arange(len(cells.piece_start) - 1), np.diff(cells.piece_start))
    return {
        "pieceCell": packing.add(piece_cell),
        "rowStart": packing.add(cells.row_start),
        "rowCells": packing.add(cells.row_cells),
        "kinds": cells.kinds,
        "several": cells.several,
    }


def _costs(costs: RelaxedCosts, first: int, packing: Packing) -> dict[str, Any]:
    """Return the steps of costs; the terms of a shape are the lengths of its terms, one after another."""
    shapes = costs.shapes.reshape(-1, 5).tolist()
    return {
        "first": first,
        "most": MOST_COST,
        "initial": packing.add(costs.initial),
        "slotCount": 1 + max(len(costs.initial) - 1, *costs.step_slots[costs.step_start[:-1]].tolist()),
        "kinds": [kind for kind, *_ in shapes],
        "terms": [
            [1] * ones + [2] * twos + [3] * threes + [rest] * (rest > 0) for _, ones, twos, threes, rest in shapes
        ],
        "stepShape": packing.add(costs.step_shape),
        "stepStart": packing.add(costs.step_start),
        "stepSlots": packing.add(costs.step_slots),
        "loops": packing.add(costs.loops),
        "roleSlots": packing.add(costs.role_slots),
    }
