"""Random small games for differential tests.

`random_sheets()` draws the text of a rule sheet that

- is valid GDL-I: safe rules, negation stratified, recursion restricted, every keyword with its arity and in its place;
- has one to three roles, each with `noop` among its legal moves in every state;
- ends after two to five steps by a counter `step`, or before;
- gives each role exactly one goal value in every state;
- has finitely many terms: a function is applied to plain constants only, so grounding stays small (at most a few
  thousand rules), even if every move is thought legal in every state;
- mixes, at random, fluents and moves with zero to two arguments and function constants, facts and rules of one
  relation, positive recursion (also mutual), `not`, `distinct`, nested `or` and `and`, negated connectives, and
  relations without arguments spelt both `p` and `(p)`.

The order of the rules and of their conditions is random.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from hypothesis import strategies as st

PLAIN = ("a", "b", "c")
FLUENTS = {"on": 0, "lit": 1, "cell": 2}
MOVES = {"noop": 0, "put": 1, "move": 2}
STATIC = {"plain": 1, "thing": 1, "edge": 2}
VARIABLES = ("?x", "?y", "?z")
_FUNCTION_OF_VARIABLE = re.compile(r"\(g (\?\w)\)")


@dataclass(frozen=True)
class Scope:
    """The names that the conditions of a rule may mention."""

    relations: dict[str, int]
    """Static relations and relations of lower strata with their arities, for conditions of either polarity."""
    recursive: dict[str, int]
    """Relations of the same stratum with their arities, for positive conditions only."""
    state: bool
    roles: tuple[str, ...]
    """Roles whose moves may be mentioned; none outside of `next`."""


class Dice(Protocol):
    """A source of random choices."""

    def choose(self, options: Sequence[str]) -> str: ...
    def count(self, low: int, high: int) -> int: ...
    def shuffled(self, texts: list[str]) -> list[str]: ...


class HypothesisDice:
    """Random choices that hypothesis directs and shrinks."""

    def __init__(self, draw: Callable[..., object]) -> None:
        self._draw = draw

    def choose(self, options: Sequence[str]) -> str:
        return str(self._draw(st.sampled_from(options)))

    def count(self, low: int, high: int) -> int:
        number = self._draw(st.integers(low, high))
        assert isinstance(number, int)
        return number

    def shuffled(self, texts: list[str]) -> list[str]:
        order = self._draw(st.permutations(texts))
        assert isinstance(order, list)
        return order


class SeededDice:
    """Random choices from a seeded generator."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def choose(self, options: Sequence[str]) -> str:
        return self._rng.choice(options)

    def count(self, low: int, high: int) -> int:
        return self._rng.randint(low, high)

    def shuffled(self, texts: list[str]) -> list[str]:
        return self._rng.sample(texts, len(texts))


class Rules:
    """A generator of the parts of one sheet."""

    def __init__(self, dice: Dice, roles: tuple[str, ...]) -> None:
        self.choose, self.count, self.shuffled = dice.choose, dice.count, dice.shuffled
        self.roles = roles

    def often(self) -> bool:
        return self.count(0, 2) > 0

    def plain_or_function(self) -> str:
        constant = self.choose(PLAIN)
        return constant if self.often() else f"(g {constant})"

    def term(self, variables: Sequence[str]) -> str:
        """Draw an argument of a condition: a variable, a constant, or a function of either."""
        if variables and self.often():
            variable = self.choose(variables)
            return variable if self.often() else f"(g {variable})"
        return self.plain_or_function()

    def applied(self, name: str, arity: int, variables: Sequence[str]) -> str:
        if arity == 0:
            return name if self.often() else f"({name})"
        return f"({' '.join([name, *(self.term(variables) for _ in range(arity))])})"

    def one_of(self, names: dict[str, int], variables: Sequence[str]) -> str:
        name = self.choose(list(names))
        return self.applied(name, names[name], variables)

    def wrapped(self, keyword: str, names: dict[str, int], variables: Sequence[str]) -> str:
        return f"({keyword} {self.one_of(names, variables)})"

    def atom(self, scope: Scope, variables: Sequence[str], positive: bool) -> str:
        kinds = ["relation"] + ["true"] * 2 * scope.state + ["does"] * 2 * bool(scope.roles)
        kinds += ["recursive"] * 2 * bool(positive and scope.recursive)
        kind = self.choose(kinds)
        if kind == "true":
            return f"(true {self.one_of(FLUENTS, variables)})"
        if kind == "does":
            return f"(does {self.choose(scope.roles)} {self.one_of(MOVES, variables)})"
        if kind == "recursive":
            # The arguments are ground, or variables that `thing` binds outside of the recursion.
            return _FUNCTION_OF_VARIABLE.sub(r"\1", self.one_of(scope.recursive, variables))
        return self.one_of(scope.relations, variables)

    def condition(self, scope: Scope, variables: Sequence[str], positive: bool = True, depth: int = 2) -> str:
        kind = self.choose(["atom"] * 5 + ["not", "distinct"] + ["or", "and"] * (depth > 0))
        if kind == "distinct":
            return f"(distinct {self.term(variables)} {self.term(variables)})"
        if kind == "not":
            return f"(not {self.condition(scope, variables, False, depth - 1)})"
        if kind == "atom":
            return self.atom(scope, variables, positive)
        parts = [self.condition(scope, variables, positive, depth - 1) for _ in range(self.count(1, 3))]
        return f"({kind} {' '.join(parts)})"

    def rule(self, head: Callable[[Sequence[str]], str], scope: Scope) -> str:
        """Draw a rule. `thing` binds its variables, except that `plain` binds arguments of functions in the head."""
        variables = VARIABLES[: self.count(0, 3)]
        start = head(variables)
        body = [self.condition(scope, variables) for _ in range(self.count(0, 3))]
        text = " ".join([start, *body])
        for variable in variables:
            if f"(g {variable})" in start:
                body.append(f"(plain {variable})")
            elif variable in text:
                body.append(f"(thing {variable})")
        return f"(<= {' '.join([start, *self.shuffled(body)])})"

    def sheet(self) -> str:
        steps = self.count(2, 5)
        lines = [f"(role {role})" for role in self.roles]
        lines += [
            "(init (step 0))",
            "(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))",
            f"(<= terminal (true (step {steps})))",
        ]
        lines += [f"(after {step} {step + 1})" for step in range(steps)]
        lines += [f"(plain {constant})" for constant in PLAIN] + ["(<= (thing ?x) (plain ?x))", "(thing (g a))"]
        lines += [f"(edge {self.plain_or_function()} {self.plain_or_function()})" for _ in range(self.count(1, 4))]
        lines += [f"(init {self.one_of(FLUENTS, ())})" for _ in range(self.count(1, 4))]
        known = dict(STATIC)
        for state in (False, True):
            known = self._relations(lines, known, "rule" if state else "map", state)
        scope = Scope(known, {}, True, ())
        lines += [self.rule(partial(self.wrapped, "init", FLUENTS), Scope(STATIC, {}, False, ()))]
        for role in self.roles:
            lines.append(f"(legal {role} noop)" if self.often() else f"(<= (legal {role} noop) (role {role}))")
            for _ in range(self.count(0, 2)):
                lines.append(self.rule(partial(self.wrapped, f"legal {role}", MOVES), scope))
            lines.append(self.rule(partial(self.applied, f"won-{role}", 0), scope))
            lines += [f"(<= (goal {role} 100) won-{role})", f"(<= (goal {role} 30) (not won-{role}))"]
        moving = Scope(known, {}, True, (*self.roles, "?r"))
        lines += [self.moving_rule(moving) for _ in range(self.count(1, 5))]
        if self.often():
            lines.append(self.rule(partial(self.applied, "terminal", 0), scope))
        # The roles come first and in order, for people who read the sheet.
        return "\n".join(sorted(self.shuffled(lines), key=lambda line: not line.startswith("(role")))

    def moving_rule(self, scope: Scope) -> str:
        text = self.rule(partial(self.wrapped, "next", FLUENTS), scope)
        return f"{text[:-1]} (role ?r))" if "?r" in text else text

    def _relations(self, lines: list[str], known: dict[str, int], prefix: str, state: bool) -> dict[str, int]:
        """Add two strata of one or two relations, which may use each other positively."""
        for stratum in range(2):
            group = {f"{prefix}{stratum}{letter}": self.count(0, 2) for letter in "pq"[: self.count(1, 2)]}
            scope = Scope(known, group, state, ())
            for name, arity in group.items():
                lines += [self.rule(partial(self.applied, name, arity), scope) for _ in range(self.count(1, 3))]
            known = known | group
        return known


def _sheet(dice: Dice) -> str:
    return Rules(dice, ("white", "black", "red")[: dice.count(1, 3)]).sheet()


@st.composite
def random_sheets(draw: Callable[..., object]) -> str:
    """Draw the text of a rule sheet with the guarantees above."""
    return _sheet(HypothesisDice(draw))


def random_sheet(rng: random.Random) -> str:
    """Return the text of a rule sheet with the guarantees above."""
    return _sheet(SeededDice(rng))
