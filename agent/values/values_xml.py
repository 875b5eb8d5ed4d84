"""The `<Values>` of a knowledge file (docs/formats.md)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from gdl_miner.agent.files.elements import (
    Display,
    Element,
    ElementError,
    attribute_terms,
    format_number,
    text_term,
    text_terms,
)
from gdl_miner.agent.values.layout import NOTHING
from gdl_miner.agent.values.named_values import ContentsTable, TupleWeights, ValuePart, Values
from gdl_miner.agent.values.relaxed_costs import COST_NAMES
from gdl_miner.agent.values.table_file import DECIMALS, read_table, table_content, table_name, whole_numbers

MOST_IN_XML = 6000  # weights up to which all are written into the knowledge file itself
_SPARSEST = 20  # contents for each weight up to which all weights are listed in the order of contents


def write_values(element: Element, values: Values, roles: tuple[str, ...], display: Display) -> bytes | None:
    """Fill an element `<Values>`; return the table that must be written beside the file, None if there is none."""
    element.set("constantSum", str(values.constant_sum))
    if values.blank:
        element.set("blank", display(values.blank))
    if values.stages:
        element.set("stages", " ".join(map(str, values.stages)))
    for name in values.symmetries:
        etree.SubElement(element, "Symmetry").text = name
    usual = _usual_contents(values)
    if usual:
        element.set("contents", _named(usual, display))
    collected: list[NDArray[np.int32]] | None = [] if values.n_weights > MOST_IN_XML else None
    for part in values.parts:
        child = etree.SubElement(
            element, "Part", turn=str(part.turn), stage=str(part.stage), role=display(roles[part.role])
        )
        for fact, weight in part.facts.items():
            etree.SubElement(child, "Fact", weight=format_number(weight)).text = display(fact)
        for pattern in part.tuples:
            _write_tuple(etree.SubElement(child, "Tuple"), pattern, usual, display, collected)
    if not collected:
        return None
    table = table_content(np.concatenate(collected))
    element.set("table", table_name(table))
    element.set("sha256", sha256(table).hexdigest())
    element.set("decimals", str(DECIMALS))
    return table


def _usual_contents(values: Values) -> tuple[str, ...]:
    """Return what may be at a cell in most tuples of cells; empty where all weights have names."""
    tables = (each.weights for part in values.parts for each in part.tuples if each.cells)
    uniform = (each.choices[0] for each in tables if isinstance(each, ContentsTable) and len(set(each.choices)) == 1)
    return max(Counter(uniform).items(), key=lambda counted: counted[1], default=((), 0))[0]


def _write_tuple(
    element: Element,
    pattern: TupleWeights,
    usual: tuple[str, ...],
    display: Display,
    collected: list[NDArray[np.int32]] | None,
) -> None:
    """Fill an element `<Tuple>`; its weights are added to those collected for the table if they are fit for it.

    Cells name what may be there unless it is the usual.
    """
    if pattern.cells:
        element.set("cells", ", ".join(" ".join(map(str, cell)) for cell in pattern.cells))
    if pattern.anywhere:
        element.set("anywhere", "True")
    if pattern.playable:
        element.set("playable", "True")
    if pattern.each_side:
        element.set("eachSide", "True")
    if pattern.costs:
        element.set("costs", " ".join(map(display, pattern.costs)))
    weights = pattern.weights
    if isinstance(weights, ContentsTable) and _list_weights(element, weights, collected):
        choices = () if pattern.costs or (pattern.cells and set(weights.choices) == {usual}) else weights.choices
        named: Mapping[tuple[str, ...], float] = {}
    else:
        choices, named = tuple((NOTHING, *group) for group in pattern.groups), weights
    for choice in choices:
        etree.SubElement(element, "Choice").text = _named(choice, display)
    for contents, weight in named.items():
        etree.SubElement(element, "Contents", weight=format_number(weight)).text = _named(contents, display)


def _list_weights(element: Element, table: ContentsTable, collected: list[NDArray[np.int32]] | None) -> bool:
    """List the weights of a tuple in the order of contents, in the table of the file or in the element.

    Returns False, and lists nothing, where so many are 0 that naming the others is shorter.
    """
    numbers = None if collected is None else whole_numbers(table.weights)
    if collected is not None and numbers is not None:
        element.set("first", str(sum(map(len, collected))))
        collected.append(numbers)
    elif len(table) * _SPARSEST >= table.weights.size:
        element.set("weights", " ".join(map(_without_zero, table.weights.tolist())))
    else:
        return False
    return True


def _without_zero(weight: float) -> str:
    """Return the decimal of a weight without the 0 before its point."""
    text = format_number(weight)
    return text.replace("0.", ".", 1) if abs(weight) < 1 else text


def _named(contents: Sequence[str], display: Display) -> str:
    return " ".join(piece if piece == NOTHING else display(piece) for piece in contents)


def read_values(element: Element, roles: tuple[str, ...], source: Path) -> Values:
    """Read an element `<Values>` that follows the schema, and the table that it names, from the folder of its file.

    Raises:
        ElementError: a role, a cell or the contents of cells make no sense, or the table is not the one that is meant.
    """
    table = _WeightReader(element, source)
    values = Values(
        symmetries=tuple((child.text or "").strip() for child in element.iterchildren("Symmetry")),
        constant_sum=element.get("constantSum", "False").lower() == "true",
        blank=" ".join(attribute_terms(element, "blank")),
        stages=tuple(int(float(number)) for number in element.get("stages", "").split()),
        parts=tuple(_part(child, roles, source, table) for child in element.iterchildren("Part")),
        place=f"{source}:{element.sourceline}",
    )
    table.check_used()
    return values


class _WeightReader:
    """The weights of tuples, from the elements themselves or from the table that `<Values>` names."""

    def __init__(self, element: Element, source: Path) -> None:
        self._element = element
        self._usual = attribute_terms(element, "contents")
        self._used = 0
        self._numbers: NDArray[np.int32] | None = None
        name = element.get("table")
        if name is None:
            return
        try:
            self._numbers = read_table(source.parent / name, element.get("sha256", "").lower())
        except ValueError as problem:
            what, _, advice = str(problem).partition("; ")
            raise ElementError(element, what, advice) from None

    def weights_of(self, element: Element) -> Mapping[tuple[str, ...], float]:
        """Return the weights of a `<Tuple>`. Raises ValueError or ElementError where they make no sense."""
        first, listed = element.get("first"), element.get("weights")
        if (first is not None) + (listed is not None) + (element.find("Contents") is not None) > 1:
            raise ElementError(element, "weights in several places", "give one of first, weights and Contents")
        if first is not None:
            return self._from_table(element, int(first))
        if listed is not None:
            return ContentsTable(self._choices(element), np.array(listed.split(), np.float64))
        if element.find("Contents") is None:
            raise ElementError(element, "a tuple without weights", "give first, weights or Contents")
        if element.get("cells") is not None and element.find("Choice") is not None:
            raise ElementError(element, "a Choice for cells, whose Contents are named", "remove one of them")
        return {text_terms(each): float(each.attrib["weight"]) for each in element.iterchildren("Contents")}

    def _from_table(self, element: Element, first: int) -> ContentsTable:
        if self._numbers is None:
            raise ElementError(element, "weights are to come from a table that <Values> does not name", "name it there")
        choices = self._choices(element)
        size = math.prod(map(len, choices))
        if first + size > len(self._numbers):
            raise ElementError(
                element,
                f"weights {first} to {first + size - 1} of a table of {len(self._numbers)}",
                "mend first, or the choices",
            )
        self._used += size
        decimals = int(self._element.get("decimals", "0"))
        return ContentsTable(choices, self._numbers[first : first + size] / 10**decimals)

    def _choices(self, element: Element) -> tuple[tuple[str, ...], ...]:
        """Return what may be at each cell of a tuple: what it says itself, or else the usual contents."""
        own = tuple(text_terms(each) for each in element.iterchildren("Choice"))
        if element.get("costs") is not None:
            return (COST_NAMES,) * len(attribute_terms(element, "costs"))
        if own or element.get("cells") is None:
            return own
        if not self._usual:
            raise ElementError(
                element, "a list of weights, but not what may be at the cells", "give a Choice for each cell"
            )
        return (self._usual,) * len(element.get("cells", "").split(","))

    def check_used(self) -> None:
        """Raise ElementError unless the tuples take as many weights from the table as it has."""
        if self._numbers is not None and self._used != len(self._numbers):
            raise ElementError(
                self._element,
                f"a table of {len(self._numbers)} weights, of which the tuples take {self._used}",
                "restore the table of this file",
            )


def _part(element: Element, roles: tuple[str, ...], source: Path, table: _WeightReader) -> ValuePart:
    role = " ".join(attribute_terms(element, "role")) or roles[0]
    if role not in roles:
        raise ElementError(element, f"no role {role}", f"give {' or '.join(roles)}")
    return ValuePart(
        turn=int(element.get("turn", "0")),
        stage=int(element.get("stage", "0")),
        role=roles.index(role),
        facts={text_term(child): float(child.attrib["weight"]) for child in element.iterchildren("Fact")},
        tuples=tuple(_tuple(child, source, table) for child in element.iterchildren("Tuple")),
        place=f"{source}:{element.sourceline}",
    )


def _tuple(element: Element, source: Path, table: _WeightReader) -> TupleWeights:
    place = f"{source}:{element.sourceline}"
    anywhere, playable, each_side = (
        element.get(each, "False").lower() == "true" for each in ("anywhere", "playable", "eachSide")
    )
    if element.get("costs") is not None:
        if element.get("cells") is not None or element.find("Choice") is not None:
            raise ElementError(element, "a tuple of costs that names other things, too", "remove cells and Choice")
        try:
            costs = attribute_terms(element, "costs")
            return TupleWeights(
                (),
                table.weights_of(element),
                place,
                (),
                costs,
                anywhere=anywhere,
                playable=playable,
                each_side=each_side,
            )
        except ValueError as problem:
            raise ElementError(element, str(problem), "give a number from 0 for every role, as in 2 3") from None
    if element.get("cells") is None:
        groups = tuple(map(_group, element.iterchildren("Choice")))
        if not groups:
            raise ElementError(element, "a tuple of nothing", "give cells, or a Choice for each group of facts")
        if anywhere:
            raise ElementError(element, "a tuple of groups of facts has no place on the board", "remove anywhere")
        if playable:
            raise ElementError(element, "groups of facts are no cells to which roles may move", "remove playable")
        if each_side:
            raise ElementError(element, "a tuple of groups of facts is the same for each side", "remove eachSide")
        try:
            return TupleWeights((), table.weights_of(element), place, groups)
        except ValueError as problem:
            raise ElementError(element, str(problem), "give a fact or . for every Choice") from None
    try:
        cells = tuple(tuple(map(int, cell.split())) for cell in element.get("cells", "").split(","))
        return TupleWeights(
            cells, table.weights_of(element), place, anywhere=anywhere, playable=playable, each_side=each_side
        )
    except ValueError as problem:
        raise ElementError(element, str(problem), "give a piece or . for every cell, as in cells='1 1, 1 2'") from None


def _group(element: Element) -> tuple[str, ...]:
    terms = text_terms(element)
    if len(terms) < 2 or terms[0] != NOTHING:
        raise ElementError(element, "a Choice of facts", "give . first, for none of them, then the facts")
    return terms[1:]
