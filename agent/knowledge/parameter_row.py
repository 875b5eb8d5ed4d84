"""A row of the table of parameters: what a parameter means and may be, its XML element, its gene, its option."""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, Literal, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

__all__ = ["MOST", "GeneSpec", "Option", "Range", "Row", "Value", "parameter", "rows_of"]

MOST = 10**9  # visits, moves or features: what native code counts with

Value: TypeAlias = bool | int | float | str
_T = TypeVar("_T")


@dataclass(frozen=True)
class Range:
    """The numbers that a parameter may be."""

    least: float = 0
    most: float = math.inf
    above: bool = False  # the least itself is too small
    noun: str = "a number"  # for messages

    def __contains__(self, value: float) -> bool:
        return self.least <= value <= self.most and not (self.above and value == self.least)

    def __str__(self) -> str:
        if not (self.above or math.isinf(self.most)):
            return f"from {self.least:g} to {self.most:,}"
        most = "" if math.isinf(self.most) else f" and at most {self.most:,}"
        return f"{'>' if self.above else '>='} {self.least:g}{most}"


@dataclass(frozen=True)
class GeneSpec:
    """What the evolution tries for a parameter."""

    low: float = 0.0  # of a number
    high: float = 1.0
    default: Value | None = None  # None: that of the parameter
    logarithmic: bool = False  # only ratios matter


@dataclass(frozen=True)
class Option:
    """A parameter on command lines: `+WORD` behind a player of a tournament, `--WORD` of commands that search."""

    word: str
    bare: Value | None = None  # value of `+WORD` without one of its own; None: the default of the parameter
    play: str = ""  # help of the flag of `agent play`; empty: there is no such flag
    bench: str = ""  # help of the flag of `agent bench`, behind "With --search: "; empty: there is no such flag
    needs: str = ""  # parameter without which this one does nothing; such an option is a flag only

    @property
    def flag(self) -> str:
        """The flag of commands."""
        return f"--{self.word}"


@dataclass(frozen=True)
class Row:
    """Everything the program says about one parameter."""

    name: str  # of the attribute of Parameters, and of the gene
    kind: type[Value]
    choices: tuple[str, ...]  # of a word
    classes: tuple[str, ...]  # elements of the feature classes that have a number each; empty: it is one value
    default: Value  # without a knowledge file
    meaning: str  # with the unit, for docs/formats.md
    element: str  # of knowledge files
    gene: GeneSpec
    allowed: Range  # of a number
    native: bool  # read_player of agent/native/bindings reads it
    option: Option | None

    @property
    def evolved(self) -> Value:
        """The default of the gene."""
        return self.default if self.gene.default is None else self.gene.default

    def read(self, text: str) -> Value:
        """The value that a text says. Raises ValueError where it should be a number and is none."""
        return text.lower() == "true" if self.kind is bool else self.kind(text)

    def check(self, value: Any) -> None:
        """Raises ValueError where the value is not of the kind: no number, too large to count, no choice."""
        if self.classes:
            self._check_classes(value)
        elif self.choices and value not in self.choices:
            raise ValueError(f"{self.name} is '{value}'; give {' or '.join(map(repr, self.choices))}")
        elif self.kind in (int, float) and not (math.isfinite(value) and value >= 0):
            raise ValueError(f"{self.name} is {value}; give a number >= 0")
        elif self.kind is int and value > MOST:
            raise ValueError(f"{self.name} is {value}; {MOST:,} is the most")

    def allows(self, value: Any) -> bool:
        """Whether a value of the kind is in range."""
        return bool(self.classes) or self.kind in (bool, str) or value in self.allowed

    def _check_classes(self, weights: Mapping[str, float]) -> None:
        if set(weights) != set(self.classes):
            raise ValueError(f"{self.name} has {sorted(weights)}; give a weight to every feature class")
        if not all(math.isfinite(weight) and weight >= 0 for weight in weights.values()):
            raise ValueError(f"{self.name} holds {sorted(weights.values())}; give numbers >= 0")


def parameter(
    default: _T | Callable[[], _T],
    meaning: str,
    *,
    element: str,
    gene: GeneSpec = GeneSpec(),
    allowed: Range = Range(),
    native: bool = False,
    option: Option | None = None,
) -> _T:
    """A field of a dataclass, with all of its row that its name, its type and its default do not say."""
    row = {"meaning": meaning, "element": element, "gene": gene, "allowed": allowed, "native": native, "option": option}
    return field(default_factory=default, metadata=row) if callable(default) else field(default=default, metadata=row)


def rows_of(table: type) -> tuple[Row, ...]:
    """The rows of a dataclass of parameters: numbers, switches, words of a Literal, numbers for each feature class."""
    types = get_type_hints(table)
    return tuple(_row(each, types[each.name]) for each in fields(table))


def _row(each: Field[Any], annotation: Any) -> Row:
    default: Any = each.default
    if each.default_factory is not MISSING:
        weights = each.default_factory()
        [default] = set(weights.values())
        return Row(each.name, float, (), tuple(weights), default, **each.metadata)
    if get_origin(annotation) is Literal:
        return Row(each.name, str, get_args(annotation), (), default, **each.metadata)
    return Row(each.name, annotation, (), (), default, **each.metadata)
