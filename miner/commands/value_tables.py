"""The values of a knowledge file on a terminal and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.columns import Columns
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from gdl_miner.agent.board import Point
from gdl_miner.agent.files.elements import Display
from gdl_miner.agent.geometry import Geometry, geometry_of
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import (
    NOTHING,
    DescribedPart,
    DescribedTuple,
    Values,
    decimals_for,
    describe_values,
    part_in_words,
    tuple_in_words,
    values_in_words,
)

_SOUGHT, _AVOIDED = ((222, 235, 247), (31, 99, 168)), ((253, 232, 216), (194, 80, 15))  # palest and deepest colour
_PALEST = 0.04  # share of the largest weight below which a number has no colour
_WHITE_INK = 0.55  # share of the largest weight from which numbers are white


def print_values(console: Console, values: Values, machine: Machine, top: int) -> None:
    """Print values as maps of the board in numbers and colours, then tuples and the other facts in words.

    `top` is the number of tuples of either sign and of facts in every part.
    """
    described, geometry, display = describe_values(values, machine), geometry_of(machine), machine.sheet.display
    console.print(values_in_words(described, machine.roles, display), markup=False, highlight=False)
    for part in described.parts:
        console.print()
        console.print(Text(part_in_words(part, machine.roles, display), style="bold"))
        boards = [
            block
            for piece, weights in part.boards.items()
            for block in _boards(console.width, display(piece), weights, geometry, described.largest)
        ]
        if boards:
            console.print(Columns(boards, padding=(1, 4)), no_wrap=True, crop=False, overflow="ignore")
        _print_tuples(console, part, display(machine.roles[part.role]), display, top)
        title = "facts that are not on the board" if geometry.n_points else "facts"
        _print_rows(console, title, [(display(each.fact), each.weight, each.places) for each in part.facts], top)


def _boards(width: int, name: str, weights: NDArray[np.float64], geometry: Geometry, largest: float) -> Iterator[Group]:
    """Lay out the weights of a piece, a block of lines for each layer of the board."""
    weight_at = dict(zip(map(tuple, geometry.points.tolist()), weights.tolist(), strict=True))
    ordered = sorted(weight_at, key=lambda point: point[2:])
    for layer, found in groupby(ordered, key=lambda point: point[2:]):
        title = f"{name}, further coordinates {' '.join(map(str, layer))}" if layer else name
        yield Group(Text(title, style="italic"), _layer(width, list(found), weight_at, largest))


def _layer(width: int, points: Sequence[Point], weight_at: dict[Point, float], largest: float) -> Text:
    at = {(point[0], point[1] if len(point) > 1 else 0): weight_at[point] for point in points}
    columns = range(min(x for x, _ in at), max(x for x, _ in at) + 1)
    rows = range(max(y for _, y in at), min(y for _, y in at) - 1, -1)
    margin = max(len(str(row)) for row in rows) if len(points[0]) > 1 else 0
    places = decimals_for(largest)
    while places and margin + len(columns) * _cell_width(largest, places) > width:
        places -= 1
    room = _cell_width(largest, places)
    text = Text(no_wrap=True, overflow="ignore")
    for row in rows:
        text.append(str(row).rjust(margin) if margin else "", style="dim")
        for column in columns:
            weight = at.get((column, row), math.nan)
            text.append(_number(weight, places).rjust(room), style=_style(weight, largest))
        text.append("\n")
    text.append(" " * margin + "".join(str(column).rjust(room) for column in columns), style="dim")
    return text


def _cell_width(largest: float, places: int) -> int:
    return len(f" {largest:+.{places}f}")


def _number(weight: float, places: int) -> str:
    if math.isnan(weight):
        return ""
    text = f"{weight:+.{places}f}"
    return text if text.strip("+-0.") else "0"


def _style(weight: float, largest: float) -> str:
    share = 0.0 if math.isnan(weight) or not largest else abs(weight) / largest
    if share < _PALEST:
        return "dim"
    pale, deep = _SOUGHT if weight > 0 else _AVOIDED
    red, green, blue = (round(a + share * (b - a)) for a, b in zip(pale, deep, strict=True))
    return f"{'white' if share > _WHITE_INK else 'black'} on rgb({red},{green},{blue})"


def _print_tuples(console: Console, part: DescribedPart, role: str, display: Display, top: int) -> None:
    for found, said in ((part.sought, "good"), (part.avoided, "bad")):
        for kind, on_cells in (("combinations", True), ("facts together", False)):
            own = [each for each in found if bool(each.cells) == on_cells]
            rows = [(tuple_in_words(each, display), each.weight, each.places) for each in own]
            _print_rows(console, f"{kind} that are {said} for {role}", rows, top)


def _print_rows(console: Console, title: str, rows: Sequence[tuple[str, float, int]], top: int) -> None:
    """Print a table of the first rows; the number of places is left out where it is 1 everywhere."""
    if not rows:
        return
    count = f"{len(rows)}" if len(rows) <= top else f"{top} of {len(rows)}"
    console.print()
    console.print(Text(f"{title} ({count})", style="italic"))
    table = Table(box=None, padding=(0, 1), show_header=False)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(ratio=1)
    digits = decimals_for(max(abs(weight) for _, weight, _ in rows))
    for words, weight, places in rows[:top]:
        shared = f" ({places} places)" if places > 1 else ""
        number = Text(f"{weight:+.{digits}f}", style="blue" if weight > 0 else "dark_orange3")
        table.add_row(number, Text.assemble(words, (shared, "dim")))
    console.print(table)


def values_as_json(values: Values, machine: Machine) -> dict[str, Any]:
    """Return values as `miner explain --json` prints them, strongest weights first."""
    described, display = describe_values(values, machine), machine.sheet.display
    return {
        "unit": "log-odds",
        "constant_sum": values.constant_sum,
        "symmetries": list(values.symmetries),
        "exchange": described.exchange or None,
        "parts": [_part_json(part, machine, display) for part in described.parts],
    }


def _part_json(part: DescribedPart, machine: Machine, display: Display) -> dict[str, Any]:
    points = geometry_of(machine).points.tolist()
    return {
        "role": display(machine.roles[part.role]),
        "turn": part.turn,
        "while": display(part.turn_fact) or None,
        "stage": part.stage,
        "pieces": None if part.pieces is None else list(part.pieces),
        "boards": {
            display(piece): [
                {"cell": point, "weight": round(weight, 6)}
                for point, weight in zip(points, weights.tolist(), strict=True)
                if not math.isnan(weight)
            ]
            for piece, weights in part.boards.items()
        },
        "facts": [
            {"fact": display(each.fact), "weight": round(each.weight, 6), "places": each.places} for each in part.facts
        ],
        "tuples": [_tuple_json(each, display) for each in part.tuples],
    }


def _tuple_json(each: DescribedTuple, display: Display) -> dict[str, Any]:
    return {
        "cells": [list(cell) for cell in each.cells],
        "contents": [None if piece == NOTHING else display(piece) for piece in each.contents],
        "words": tuple_in_words(each, display),
        "weight": round(each.weight, 6),
        "places": each.places,
        "anywhere": each.anywhere,
        "playable": each.playable,
        "costs": [display(role) for role in each.costs],
        "each_side": each.each_side,
    }
