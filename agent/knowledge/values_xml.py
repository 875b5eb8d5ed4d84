"""The `<Values>` of a knowledge file (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from agent.files.elements import Display, Element, ElementError, format_number, split_terms, text_term
from agent.knowledge.values import NOTHING, TuplePattern, ValuePart, Values

__all__ = ["read_values", "write_values"]


def write_values(element: Element, values: Values, roles: tuple[str, ...], display: Display) -> None:
    """Fill an element `<Values>`."""
    element.set("constantSum", str(values.constant_sum))
    if values.blank:
        element.set("blank", display(values.blank))
    if values.stages:
        element.set("stages", " ".join(map(str, values.stages)))
    for name in values.symmetries:
        etree.SubElement(element, "Symmetry").text = name
    for part in values.parts:
        child = etree.SubElement(
            element, "Part", turn=str(part.turn), stage=str(part.stage), role=display(roles[part.role])
        )
        for fact, weight in part.facts.items():
            etree.SubElement(child, "Fact", weight=format_number(weight)).text = display(fact)
        for pattern in part.tuples:
            cells = ", ".join(" ".join(map(str, cell)) for cell in pattern.cells)
            tuple_element = etree.SubElement(child, "Tuple", cells=cells)
            for contents, weight in pattern.weights.items():
                named = " ".join(piece if piece == NOTHING else display(piece) for piece in contents)
                etree.SubElement(tuple_element, "Contents", weight=format_number(weight)).text = named


def read_values(element: Element, roles: tuple[str, ...], source: Path) -> Values:
    """Read an element `<Values>` that follows the schema.

    Raises:
        ElementError: a role, a cell or the contents of cells make no sense.
    """
    return Values(
        symmetries=tuple((child.text or "").strip() for child in element.iterchildren("Symmetry")),
        constant_sum=element.get("constantSum", "False").lower() == "true",
        blank=" ".join(split_terms(element.get("blank", ""))),
        stages=tuple(int(float(number)) for number in element.get("stages", "").split()),
        parts=tuple(_part(child, roles, source) for child in element.iterchildren("Part")),
        place=f"{source}:{element.sourceline}",
    )


def _part(element: Element, roles: tuple[str, ...], source: Path) -> ValuePart:
    role = " ".join(split_terms(element.get("role", roles[0])))
    if role not in roles:
        raise ElementError(element, f"no role {role}", f"give {' or '.join(roles)}")
    return ValuePart(
        turn=int(element.get("turn", "0")),
        stage=int(element.get("stage", "0")),
        role=roles.index(role),
        facts={text_term(child): float(child.attrib["weight"]) for child in element.iterchildren("Fact")},
        tuples=tuple(_tuples(element, source)),
        place=f"{source}:{element.sourceline}",
    )


def _tuples(element: Element, source: Path) -> Iterator[TuplePattern]:
    for child in element.iterchildren("Tuple"):
        try:
            cells = tuple(tuple(map(int, cell.split())) for cell in child.get("cells", "").split(","))
            weights = {
                split_terms(each.text or ""): float(each.attrib["weight"]) for each in child.iterchildren("Contents")
            }
            yield TuplePattern(cells, weights, f"{source}:{child.sourceline}")
        except ValueError as problem:
            raise ElementError(
                child, str(problem), "give a piece or . for every cell, as in cells='1 1, 1 2'"
            ) from None
