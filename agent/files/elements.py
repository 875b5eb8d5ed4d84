"""Reading and writing single XML elements of knowledge files, with the places of mistakes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, Self

from lxml import etree

from gdl_miner.agent.gdl import normalise

Element = etree._Element
Display = Callable[[str], str]  # canonical text -> the spelling of the rule sheet


class ElementError(Exception):
    """A mistake in an element, with its line; the reader of the file adds the file's name."""

    def __init__(self, element: Element, what: str, advice: str) -> None:
        super().__init__(f"{what}; {advice}")
        line = element.sourceline
        self.line = line if isinstance(line, int) else 0


class FileElement(ABC):
    """A value that is one XML element of a knowledge file, such as a feature or an itemset."""

    element: ClassVar[str]  # name of the XML element
    # XML child to its type in the schema, a `?` after it where it may be missing; an element without is a term.
    children: ClassVar[Mapping[str, str]]

    @abstractmethod
    def write(self, element: Element, display: Display) -> None:
        """Fill the XML element."""

    @classmethod
    @abstractmethod
    def read(cls, element: Element) -> Self:
        """Read the XML element that `write` fills. Raises ElementError."""

    @abstractmethod
    def words(self, display: Display) -> str:
        """Return in words what is required of a move or a state; `display` gives terms the spelling of the rules."""


def same_spelling(text: str) -> str:
    """Return canonical text as it is."""
    return text


def format_number(value: float) -> str:
    """Return the shortest decimal that reads back as the same number; whole numbers have no fraction."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def add_child(parent: Element, name: str, text: str) -> Element:
    """Append `<name>text</name>`."""
    child = etree.SubElement(parent, name)
    child.text = text
    return child


def child_text(parent: Element, name: str) -> tuple[Element, str]:
    """Return the child `name` and its text without surrounding blanks. Raises ElementError if it is missing."""
    child = parent.find(name)
    if child is None:
        raise ElementError(parent, f"<{parent.tag}> has no <{name}>", f"add <{name}>")
    return child, (child.text or "").strip()


def read_number(parent: Element, name: str) -> float:
    """Read the one finite number in the child `name`. Raises ElementError for anything else."""
    return _numbers(parent, name, count=1)[0]


def read_numbers(parent: Element, name: str) -> tuple[float, ...]:
    """Read the finite numbers in the child `name`. Raises ElementError for anything else, or for none."""
    return _numbers(parent, name, count=None)


def read_integer(parent: Element, name: str) -> int:
    """Read the first whole number in the child `name`. Raises ElementError for anything else, or for none."""
    return read_integers(parent, name)[0]


def read_integers(parent: Element, name: str) -> tuple[int, ...]:
    """Read the whole numbers in the child `name`. Raises ElementError for anything else, or for none."""
    child, text = child_text(parent, name)
    try:
        values = tuple(int(word) for word in text.split())
    except ValueError:
        values = ()
    if not values:
        raise ElementError(child, f"<{name}> holds '{text}'", "write whole numbers")
    return values


def read_term(parent: Element, name: str) -> str:
    """Read the one term in the child `name`, in canonical spelling."""
    return text_term(child_text(parent, name)[0])


def read_terms(parent: Element, name: str) -> tuple[str, ...]:
    """Read the terms in the child `name`, in canonical spelling."""
    return text_terms(child_text(parent, name)[0])


def text_term(element: Element) -> str:
    """Read the one term in the text of an element, in canonical spelling. Raises ElementError for any other number."""
    terms = text_terms(element)
    if len(terms) != 1:
        raise ElementError(element, f"<{element.tag}> holds {len(terms)} terms", "write one")
    return terms[0]


def split_terms(text: str) -> tuple[str, ...]:
    """Split `a (b c) d` into its canonical terms. Raises ValueError on unbalanced parentheses."""
    terms: list[list[str]] = []
    depth = 0
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if depth == 0:
            terms.append([])
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth < 0:
            raise ValueError(f"unbalanced parentheses in '{text}'")
        terms[-1].append(word)
    if depth:
        raise ValueError(f"unbalanced parentheses in '{text}'")
    return tuple(normalise(" ".join(words)) for words in terms)


def attribute_terms(element: Element, attribute: str) -> tuple[str, ...]:
    """Read the terms in an attribute, in canonical spelling; none where it is absent. Raises ElementError."""
    return _located_terms(element, element.get(attribute, ""))


def text_terms(element: Element) -> tuple[str, ...]:
    """Read the terms in the text of an element, in canonical spelling. Raises ElementError."""
    return _located_terms(element, element.text or "")


def _located_terms(element: Element, text: str) -> tuple[str, ...]:
    try:
        return split_terms(text)
    except ValueError as error:
        raise ElementError(element, f"<{element.tag}>: {error}", "mend the term") from None


def _numbers(parent: Element, name: str, count: int | None) -> tuple[float, ...]:
    child, text = child_text(parent, name)
    try:
        values = tuple(float(word) for word in text.split())
    except ValueError:
        values = ()
    if not values or not all(math.isfinite(value) for value in values) or (count and len(values) != count):
        raise ElementError(child, f"<{name}> holds '{text}'", "write a decimal number" if count else "write numbers")
    return values
