"""The `<Values>` of a knowledge file (docs/formats.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from lxml import etree

from agent.files.elements import Display, Element, ElementError, format_number, split_terms, text_term
from agent.knowledge.contents_table import ContentsTable
from agent.knowledge.value_tables import DECIMALS, ValueTable, WholeNumbers, read_table, whole_numbers
from agent.knowledge.values import NOTHING, TuplePattern, ValuePart, Values

__all__ = ["MOST_IN_XML", "read_values", "write_values"]

MOST_IN_XML = 5000  # weights up to which all are written into the knowledge file itself


def write_values(element: Element, values: Values, roles: tuple[str, ...], display: Display) -> ValueTable | None:
    """Fill an element `<Values>`; return the table that must be written beside the file, None if there is none."""
    element.set("constantSum", str(values.constant_sum))
    if values.blank:
        element.set("blank", display(values.blank))
    if values.stages:
        element.set("stages", " ".join(map(str, values.stages)))
    for name in values.symmetries:
        etree.SubElement(element, "Symmetry").text = name
    collected: list[WholeNumbers] | None = [] if values.n_weights > MOST_IN_XML else None
    for part in values.parts:
        child = etree.SubElement(
            element, "Part", turn=str(part.turn), stage=str(part.stage), role=display(roles[part.role])
        )
        for fact, weight in part.facts.items():
            etree.SubElement(child, "Fact", weight=format_number(weight)).text = display(fact)
        for pattern in part.tuples:
            _write_tuple(etree.SubElement(child, "Tuple"), pattern, display, collected)
    if not collected:
        return None
    table = ValueTable.of(np.concatenate(collected))
    element.set("table", table.name)
    element.set("sha256", table.digest)
    element.set("decimals", str(DECIMALS))
    return table


def _write_tuple(
    element: Element, pattern: TuplePattern, display: Display, collected: list[WholeNumbers] | None
) -> None:
    """Fill an element `<Tuple>`; its weights are added to those collected for the table if they are fit for it."""
    if pattern.cells:
        element.set("cells", ", ".join(" ".join(map(str, cell)) for cell in pattern.cells))
    choices: Sequence[Sequence[str]] = [(NOTHING, *group) for group in pattern.groups]
    weights = pattern.weights
    numbers = None
    if collected is not None and isinstance(weights, ContentsTable):
        numbers = whole_numbers(weights.weights)
    if collected is not None and isinstance(weights, ContentsTable) and numbers is not None:
        element.set("first", str(sum(map(len, collected))))
        collected.append(numbers)
        choices = weights.choices
    for choice in choices:
        etree.SubElement(element, "Choice").text = _named(choice, display)
    if numbers is None:
        for contents, weight in weights.items():
            etree.SubElement(element, "Contents", weight=format_number(weight)).text = _named(contents, display)


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
        blank=" ".join(split_terms(element.get("blank", ""))),
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
        self._used = 0
        self._numbers: WholeNumbers | None = None
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
        first = element.get("first")
        if first is not None and element.find("Contents") is not None:
            raise ElementError(element, "weights both here and in a table", "give either first, or Contents")
        if first is None and element.get("cells") is not None and element.find("Choice") is not None:
            raise ElementError(element, "a Choice for cells, but no weights from a table", "give first, or Contents")
        if first is None:
            return {
                split_terms(each.text or ""): float(each.attrib["weight"]) for each in element.iterchildren("Contents")
            }
        if self._numbers is None:
            raise ElementError(element, "weights are to come from a table that <Values> does not name", "name it there")
        choices = tuple(split_terms(each.text or "") for each in element.iterchildren("Choice"))
        begin, size = int(first), math.prod(map(len, choices))
        if begin + size > len(self._numbers):
            raise ElementError(
                element,
                f"weights {begin} to {begin + size - 1} of a table of {len(self._numbers)}",
                "mend first, or the choices",
            )
        self._used += size
        decimals = int(self._element.get("decimals", "0"))
        return ContentsTable(choices, self._numbers[begin : begin + size] / 10**decimals)

    def check_used(self) -> None:
        """Raise ElementError unless the tuples take as many weights from the table as it has."""
        if self._numbers is not None and self._used != len(self._numbers):
            raise ElementError(
                self._element,
                f"a table of {len(self._numbers)} weights, of which the tuples take {self._used}",
                "restore the table of this file",
            )


def _part(element: Element, roles: tuple[str, ...], source: Path, table: _WeightReader) -> ValuePart:
    role = " ".join(split_terms(element.get("role", roles[0])))
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


def _tuple(element: Element, source: Path, table: _WeightReader) -> TuplePattern:
    place = f"{source}:{element.sourceline}"
    if element.get("cells") is None:
        groups = tuple(map(_group, element.iterchildren("Choice")))
        if not groups:
            raise ElementError(element, "a tuple of nothing", "give cells, or a Choice for each group of facts")
        try:
            return TuplePattern((), table.weights_of(element), place, groups)
        except ValueError as problem:
            raise ElementError(element, str(problem), "give a fact or . for every Choice") from None
    try:
        cells = tuple(tuple(map(int, cell.split())) for cell in element.get("cells", "").split(","))
        return TuplePattern(cells, table.weights_of(element), place)
    except ValueError as problem:
        raise ElementError(element, str(problem), "give a piece or . for every cell, as in cells='1 1, 1 2'") from None


def _group(element: Element) -> tuple[str, ...]:
    first, *facts = split_terms(element.text or "")
    if first != NOTHING or not facts:
        raise ElementError(element, "a Choice of facts", "give . first, for none of them, then the facts")
    return tuple(facts)
