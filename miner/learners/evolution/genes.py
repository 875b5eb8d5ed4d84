"""The kinds of gene: how a value is drawn, mutated, checked and limited.

A chromosome is a string of real, whole, 0-1 and named values (thesis 4.3.1); every position of it has one of these
kinds. Values are drawn from the generator of the module `random`, as DEAP's operators draw theirs.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from typing import TypeAlias

GeneValue: TypeAlias = bool | int | float | str

_STEP = 0.15  # standard deviation of a mutation, as a share of the gene's range
_DIGITS = 6  # significant digits kept of a real gene, so that files stay readable and exact


@dataclass(frozen=True)
class RealGene:
    """A number in [low, high]; on a logarithmic scale where only ratios matter (then low > 0)."""

    name: str
    low: float
    high: float
    default: float
    logarithmic: bool = False

    def draw(self) -> float:
        """A value drawn uniformly over the range (over its logarithm on a logarithmic scale)."""
        return self._value(random.random())

    def mutate(self, value: GeneValue) -> float:
        """A normal step from `value`, reflected into the range."""
        low, high = self._scaled(self.low), self._scaled(self.high)
        if high == low:
            return self.low
        share = (self._scaled(float(value)) - low) / (high - low) + random.gauss(0.0, _STEP)
        share = abs(share) % 2.0
        return self._value(2.0 - share if share > 1.0 else share)

    def check(self, value: object) -> float:
        """The value as this gene stores it. Raises ValueError where it is no number in range."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not self.low <= value <= self.high:
            raise ValueError(f"{self.name} must be a number from {self.low:g} to {self.high:g}, not {value!r}")
        return float(value)

    def nearest(self, value: GeneValue) -> float:
        """The value of the range that is nearest to a number."""
        return min(self.high, max(self.low, float(value)))

    def limit(self, limit: object) -> RealGene:
        """This gene fixed at a value, or within [low, high]. Raises ValueError where the limit makes no sense."""
        low, high = (self.check(end) for end in _ends(self.name, limit))
        return replace(self, low=low, high=high, default=min(max(self.default, low), high))

    def _scaled(self, value: float) -> float:
        return math.log(value) if self.logarithmic else value

    def _value(self, share: float) -> float:
        low, high = self._scaled(self.low), self._scaled(self.high)
        value = low + share * (high - low)
        value = math.exp(value) if self.logarithmic else value
        return min(self.high, max(self.low, float(f"{value:.{_DIGITS}g}")))


@dataclass(frozen=True)
class IntegerGene:
    """A whole number in [low, high]."""

    name: str
    low: int
    high: int
    default: int

    def draw(self) -> int:
        """A value drawn uniformly over the range."""
        return random.randint(self.low, self.high)

    def mutate(self, value: GeneValue) -> int:
        """A step of at least one from `value`, kept in the range."""
        step = round(random.gauss(0.0, _STEP * (self.high - self.low)))
        step = step or random.choice((-1, 1))
        return min(self.high, max(self.low, int(value) + step))

    def check(self, value: object) -> int:
        """The value as this gene stores it. Raises ValueError where it is no whole number in range."""
        if isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            raise ValueError(f"{self.name} must be a whole number from {self.low} to {self.high}, not {value!r}")
        return value

    def nearest(self, value: GeneValue) -> int:
        """The value of the range that is nearest to a whole number."""
        return min(self.high, max(self.low, int(value)))

    def limit(self, limit: object) -> IntegerGene:
        """This gene fixed at a value, or within [low, high]. Raises ValueError where the limit makes no sense."""
        low, high = (self.check(end) for end in _ends(self.name, limit))
        return replace(self, low=low, high=high, default=min(max(self.default, low), high))


@dataclass(frozen=True)
class BooleanGene:
    """A switch."""

    name: str
    default: bool
    fixed: bool = False

    def draw(self) -> bool:
        """A fair coin; the default where the switch is fixed."""
        tossed = random.random() < 0.5
        return self.default if self.fixed else tossed

    def mutate(self, value: GeneValue) -> bool:
        """The other position; the default where the switch is fixed."""
        return self.default if self.fixed else not value

    def check(self, value: object) -> bool:
        """The value as this gene stores it. Raises ValueError where it is no switch, or fixed otherwise."""
        if not isinstance(value, bool) or (self.fixed and value != self.default):
            raise ValueError(
                f"{self.name} must be {'true or false' if not self.fixed else self.default}, not {value!r}"
            )
        return value

    def nearest(self, value: GeneValue) -> bool:
        """The position given; the default where the switch is fixed."""
        return self.default if self.fixed else bool(value)

    def limit(self, limit: object) -> BooleanGene:
        """This switch fixed in a position, or free where both are given. Raises ValueError for other limits."""
        if limit in ([False, True], [True, False]):
            return replace(self, fixed=False)
        if not isinstance(limit, bool):
            raise ValueError(f"{self.name} must be true, false or [false, true], which leaves it free, not {limit!r}")
        return replace(self, default=self.check(limit), fixed=True)


@dataclass(frozen=True)
class ChoiceGene:
    """One of several named ways."""

    name: str
    choices: tuple[str, ...]
    default: str

    def draw(self) -> str:
        """One of the choices, each as likely."""
        return random.choice(self.choices)

    def mutate(self, value: GeneValue) -> str:
        """One of the other choices; the same where there is no other."""
        others = [choice for choice in self.choices if choice != value]
        return random.choice(others) if others else str(value)

    def check(self, value: object) -> str:
        """The value as this gene stores it. Raises ValueError where it is not among the choices."""
        if not isinstance(value, str) or value not in self.choices:
            raise ValueError(f"{self.name} must be one of {', '.join(self.choices)}, not {value!r}")
        return value

    def nearest(self, value: GeneValue) -> str:
        """The choice given; the default where it is none of the choices."""
        return str(value) if value in self.choices else self.default

    def limit(self, limit: object) -> ChoiceGene:
        """This gene fixed at a choice, or with these choices only. Raises ValueError where one is not its own."""
        choices = tuple(self.check(choice) for choice in (limit if isinstance(limit, list | tuple) else [limit]))
        if not choices:
            raise ValueError(f"{self.name} needs at least one of {', '.join(self.choices)}")
        return replace(self, choices=choices, default=self.default if self.default in choices else choices[0])


Gene: TypeAlias = RealGene | IntegerGene | BooleanGene | ChoiceGene


def _ends(name: str, limit: object) -> tuple[object, object]:
    """Lowest and highest value that a limit allows."""
    if not isinstance(limit, list | tuple):
        return limit, limit
    if len(limit) != 2 or not limit[0] <= limit[1]:
        raise ValueError(f"{name} takes a value or [lowest, highest], not {list(limit)!r}")
    return limit[0], limit[1]
