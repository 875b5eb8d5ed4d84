"""Values of states as HTML: a heat map of the board for every piece, tuples as little boards, and the other facts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from gdl_miner.agent.files.elements import Display
from gdl_miner.agent.geometry import Geometry, geometry_of
from gdl_miner.agent.knowledge import Knowledge
from gdl_miner.agent.reasoner.machine import Machine
from gdl_miner.agent.values import (
    DescribedFact,
    DescribedPart,
    DescribedTuple,
    decimals_for,
    describe_values,
    draw_single_piece,
    draw_tuple,
    draw_weight_scale,
    draw_weights,
    part_in_words,
    tuple_in_words,
    values_in_words,
)
from gdl_miner.miner.results.report_features import signed

_DRAWN = 12  # contents of tuples of either sign that are drawn in a part
_LISTED = 100  # further contents of tuples of either sign, in words
_FACTS = 12  # facts in the open table; the others are folded away
_MOST_FACTS = 300
_COORDINATES = re.compile(r"-?\d+(?: -?\d+)+")


def values(knowledge: Knowledge, machine: Machine) -> str:
    """Return the values of a knowledge file, drawn and in words; an empty text if it has none."""
    if knowledge.values is None:
        return ""
    described = describe_values(knowledge.values, machine)
    geometry = geometry_of(machine)
    scale = draw_weight_scale(described.largest) if described.largest else ""
    parts = "".join(_part(part, described.largest, machine, geometry) for part in described.parts)
    words = escape(values_in_words(described, machine.roles, machine.sheet.display))
    return f"<p class='note'>{words}</p><div class='scale'>{scale}</div>{parts}"


def _part(part: DescribedPart, largest: float, machine: Machine, geometry: Geometry) -> str:
    display = machine.sheet.display
    title = part_in_words(part, machine.roles, display)
    role = escape(display(machine.roles[part.role]))
    return (
        f"<h3>{escape(title[0].upper() + title[1:])}</h3>{_boards(part, largest, geometry, display)}"
        f"{_tuples(part, role, geometry, display)}{_facts(part.facts, geometry, display)}"
    )


def _boards(part: DescribedPart, largest: float, geometry: Geometry, display: Display) -> str:
    figures = []
    for piece, weights in part.boards.items():
        name = display(piece)
        picture = draw_weights(weights, geometry, largest, f"weights of {name} on each field")
        figures.append(
            f"<figure>{picture}<figcaption>{draw_single_piece(piece, geometry)} {escape(name)}</figcaption></figure>"
        )
    return f"<div class='boards maps'>{''.join(figures)}</div>" if figures else ""


def _tuples(part: DescribedPart, role: str, geometry: Geometry, display: Display) -> str:
    parts = []
    for tuples, said in ((part.sought, "good"), (part.avoided, "bad")):
        found = [each for each in tuples if each.cells]
        if found:
            digits = decimals_for(abs(found[0].weight))
            items = "".join(_tuple(each, digits, geometry, display) for each in found[:_DRAWN])
            heading = f"<h4 class='group'>Combinations that are {said} for {role}: {len(found)}</h4>"
            rest = found[_DRAWN : _DRAWN + _LISTED]
            rows = [(tuple_in_words(each, display), each.weight, each.places) for each in rest]
            parts.append(f"{heading}<ul class='features tuples'>{items}</ul>{_folded(rows, 'contents of cells')}")
        rows = [(tuple_in_words(each, display), each.weight, each.places) for each in tuples if not each.cells]
        if rows:
            heading = f"<h4 class='group'>Facts together that are {said} for {role}: {len(rows)}</h4>"
            parts.append(f"{heading}{_table(rows[:_DRAWN], 'facts')}{_folded(rows[_DRAWN:_LISTED], 'facts')}")
    return "".join(parts)


def _tuple(each: DescribedTuple, digits: int, geometry: Geometry, display: Display) -> str:
    kind = "plus" if each.weight >= 0 else "minus"
    words = _COORDINATES.sub(_unbroken, escape(tuple_in_words(each, display)))
    shared = f" <small>at {each.places} places</small>" if each.places > 1 else ""
    picture = draw_tuple(each.cells, each.contents, geometry)
    return f"<li><div>{picture}</div><p><b class='{kind}'>{signed(each.weight, digits)}</b> {words}{shared}</p></li>"


def _unbroken(coordinates: re.Match[str]) -> str:
    return coordinates[0].replace(" ", "\u00a0")


def _facts(facts: Sequence[DescribedFact], geometry: Geometry, display: Display) -> str:
    if not facts:
        return ""
    rows = [(display(each.fact), each.weight, each.places) for each in facts]
    rest = _folded(rows[_FACTS:_MOST_FACTS], "fact")
    title = "Facts that are not on the board" if geometry.n_points else "Facts"
    return f"<h4 class='group'>{title}: {len(facts)}</h4>{_table(rows[:_FACTS], 'fact')}{rest}"


def _folded(rows: Sequence[tuple[str, float, int]], heading: str) -> str:
    return f"<details><summary>{len(rows)} more</summary>{_table(rows, heading)}</details>" if rows else ""


def _table(rows: Sequence[tuple[str, float, int]], heading: str) -> str:
    """Return a table of weights; the number of places is left out where it is 1 everywhere."""
    shared = any(places > 1 for _, _, places in rows)
    digits = decimals_for(max(abs(weight) for _, weight, _ in rows))
    body = "".join(
        f"<tr><td>{escape(words)}</td><td class='{'plus' if weight >= 0 else 'minus'}'>{signed(weight, digits)}</td>"
        f"{f'<td>{places}</td>' if shared else ''}</tr>"
        for words, weight, places in rows
    )
    head = f"<th>{heading}</th><th>weight</th>{'<th>places</th>' if shared else ''}"
    return f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
