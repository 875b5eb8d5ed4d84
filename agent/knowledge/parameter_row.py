"""A row of the table of parameters: a parameter's meaning and allowed values, its XML element, its gene, its option."""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, Literal, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

MOST = 10**9  # largest count of visits, moves or features, so that native code can count them

ParameterValue: TypeAlias = bool | int | float | str
Content: TypeAlias = Literal["", "features", "values"]
_T = TypeVar("_T")


@dataclass(frozen=True)
class Range:
    """The range of numbers that a parameter may have."""

    least: float = 0
    most: float = math.inf
    above: bool = False  # whether the number must be greater than `least`
    noun: str = "a number"  # name of the number in messages

    def __contains__(self, value: float) -> bool:
        return self.least <= value <= self.most and not (self.above and value == self.least)

    def __str__(self) -> str:
        if not (self.above or math.isinf(self.most)):
            return f"from {self.least:g} to {self.most:,}"
        most = "" if math.isinf(self.most) else f" and at most {self.most:,}"
        return f"{'>' if self.above else '>='} {self.least:g}{most}"


@dataclass(frozen=True)
class GeneSpec:
    """The values that the evolution tries for a parameter."""

    low: float = 0.0  # least value of a numeric gene
    high: float = 1.0
    default: ParameterValue | None = None  # None: the default of the parameter
    with_values: ParameterValue | None = None  # default of individuals with values of states; None: the same
    logarithmic: bool = False  # whether the gene varies on a logarithmic scale, where only ratios matter


@dataclass(frozen=True)
class Option:
    """A parameter on command lines: `+WORD` behind a player of a tournament, `--option WORD` of other commands."""

    word: str
    bare: ParameterValue | None = None  # value where the word stands without one; None: the default of the parameter


@dataclass(frozen=True)
class ParameterRow:
    """Everything the program says about one parameter."""

    name: str  # name of the attribute of Parameters, and of the gene
    kind: type[ParameterValue]
    choices: tuple[str, ...]  # the words that a text parameter may be, else empty
    class_weights: (
        Callable[[], Mapping[str, float]] | None
    )  # the default of a number for each feature class; None: one value
    default: ParameterValue  # the value without a knowledge file
    meaning: str  # meaning and unit, for the documentation site
    element: str  # XML element of knowledge files
    gene: GeneSpec
    allowed: Range  # range of a numeric parameter
    native: bool  # whether read_player in agent/native/bindings reads the parameter
    option: Option | None
    of: Content  # what knowledge must hold for the parameter to have an effect; empty: nothing
    optional: bool  # whether runs have its gene only if they name it

    @property
    def classes(self) -> tuple[str, ...]:
        """The feature classes that have a number each; empty where the value is single."""
        return () if self.class_weights is None else tuple(self.class_weights())

    @property
    def evolved(self) -> ParameterValue:
        """The default of the gene."""
        return self.default if self.gene.default is None else self.gene.default

    @property
    def evolved_with_values(self) -> ParameterValue:
        """The default of the gene of individuals with values of states."""
        return self.evolved if self.gene.with_values is None else self.gene.with_values

    def read(self, text: str) -> ParameterValue:
        """Return the value of a text. Raises ValueError where the text should be a number and is not."""
        return text.lower() == "true" if self.kind is bool else self.kind(text)

    def check(self, value: Any) -> None:
        """Check that a value is of the right kind.

        Raises:
            ValueError: the value is not a number, is too large to count, or is none of the choices.
        """
        if self.class_weights is not None:
            self._check_classes(value)
        elif self.choices and value not in self.choices:
            raise ValueError(f"{self.name} is '{value}'; give {' or '.join(map(repr, self.choices))}")
        elif self.kind in (int, float) and not (math.isfinite(value) and value >= self._lowest):
            raise ValueError(f"{self.name} is {value}; give a number >= {self._lowest:g}")
        elif self.kind is int and value > MOST:
            raise ValueError(f"{self.name} is {value}; {MOST:,} is the most")

    @property
    def _lowest(self) -> float:
        """The lowest number of the kind; only parameters that say so may be negative."""
        return min(0, self.allowed.least)

    def allows(self, value: Any) -> bool:
        """Whether a value of the kind is in range."""
        return self.class_weights is not None or self.kind in (bool, str) or value in self.allowed

    def _check_classes(self, weights: Mapping[str, float]) -> None:
        if not set(weights) >= set(self.classes):
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
    of: Content = "",
    optional: bool = False,
) -> _T:
    """Return a dataclass field whose metadata hold the columns of its row beyond name, type and default."""
    row = {
        "meaning": meaning,
        "element": element,
        "gene": gene,
        "allowed": allowed,
        "native": native,
        "option": option,
        "of": of,
        "optional": optional,
    }
    return field(default_factory=default, metadata=row) if callable(default) else field(default=default, metadata=row)


def rows_of(table: type) -> tuple[ParameterRow, ...]:
    """Return the rows of a dataclass of parameters.

    A parameter is a number, a switch, a word of a Literal, or one number for each feature class.
    """
    types = get_type_hints(table)
    return tuple(_row(each, types[each.name]) for each in fields(table))


def _row(each: Field[Any], annotation: Any) -> ParameterRow:
    default: Any = each.default
    if each.default_factory is not MISSING:
        return ParameterRow(each.name, float, (), each.default_factory, 1.0, **each.metadata)
    if get_origin(annotation) is Literal:
        return ParameterRow(each.name, str, get_args(annotation), None, default, **each.metadata)
    return ParameterRow(each.name, annotation, (), None, default, **each.metadata)
