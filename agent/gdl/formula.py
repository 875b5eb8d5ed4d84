"""Bodies of rules: atoms, and the connectives `not`, `distinct`, `or` and `and`, which may nest."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl.syntax import (
    Compound,
    Expression,
    Location,
    Symbol,
    Term,
    Variable,
    Word,
    format_term,
    term_of,
    variables,
)

CONNECTIVES = frozenset({"<=", "and", "distinct", "not", "or"})


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation applied to terms: `(true (cell 1 2 b))`, `terminal`."""

    term: Symbol | Compound
    position: Location = field(compare=False)

    @property
    def name(self) -> str:
        """Name of the relation."""
        return self.term.name

    @property
    def args(self) -> tuple[Term, ...]:
        """Arguments of the relation."""
        return self.term.args if isinstance(self.term, Compound) else ()

    @property
    def predicate(self) -> tuple[str, int]:
        """Name and arity, which together identify a relation."""
        return self.term.name, len(self.args)


@dataclass(frozen=True, slots=True)
class Not:
    """Negation as failure."""

    part: "Formula"
    position: Location = field(compare=False)


@dataclass(frozen=True, slots=True)
class Distinct:
    """The two terms differ as texts."""

    left: Term
    right: Term
    position: Location = field(compare=False)


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part holds."""

    parts: tuple["Formula", ...]
    position: Location = field(compare=False)


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold."""

    parts: tuple["Formula", ...]
    position: Location = field(compare=False)


Formula = Atom | Not | Distinct | Or | And


def formula_of(expression: Expression) -> Formula:
    """Turn an expression of a rule's body into a formula.

    Raises:
        RuleError: a variable or an arrow as a condition, or a connective with the wrong number of arguments.

    """
    name = _name(expression)
    if name == "<=":
        raise RuleError(f"{expression.position}: a rule stands inside a rule; close the outer rule's ')' before it")
    if name in CONNECTIVES and not isinstance(expression, Word):
        return _connective(name, expression.items[1:], expression.position)
    term = term_of(expression)
    if isinstance(term, Variable):
        raise RuleError(f"{expression.position}: the variable '{term.name}' stands for a condition; name a relation")
    if term.name in CONNECTIVES:
        raise RuleError(f"{expression.position}: '{term.name}' has no arguments; write it as '({term.name} …)'")
    return Atom(term, expression.position)


def _name(expression: Expression) -> str:
    if isinstance(expression, Word):
        return expression.text
    first = expression.items[0]
    return first.text if isinstance(first, Word) else ""


def _connective(name: str, items: tuple[Expression, ...], position: Location) -> Formula:
    expected, what = {"not": (1, "one condition"), "distinct": (2, "two terms")}.get(name, (len(items), ""))
    if len(items) != expected:
        raise RuleError(f"{position}: '{name}' takes {what}, found {len(items)}; write '({name}{' …' * expected})'")
    if not items:
        raise RuleError(f"{position}: '({name})' joins nothing; give it conditions, or remove it")
    if name == "distinct":
        return Distinct(term_of(items[0]), term_of(items[1]), position)
    parts = tuple(formula_of(item) for item in items)
    if name == "not":
        return Not(parts[0], position)
    return Or(parts, position) if name == "or" else And(parts, position)


def format_formula(formula: Formula) -> str:
    """Write a formula canonically, as `format_term` does for terms."""
    match formula:
        case Atom(term=term):
            return format_term(term)
        case Not(part=part):
            return f"(not {format_formula(part)})"
        case Distinct(left=left, right=right):
            return f"(distinct {format_term(left)} {format_term(right)})"
        case Or(parts=parts):
            return f"(or {' '.join(map(format_formula, parts))})"
        case And(parts=parts):
            return f"(and {' '.join(map(format_formula, parts))})"


def formula_variables(formula: Formula) -> Iterator[Variable]:
    """Yield the variables of a formula from left to right, repeated as often as they occur."""
    match formula:
        case Atom(term=term):
            yield from variables(term)
        case Not(part=part):
            yield from formula_variables(part)
        case Distinct(left=left, right=right):
            yield from variables(left)
            yield from variables(right)
        case Or(parts=parts) | And(parts=parts):
            for part in parts:
                yield from formula_variables(part)


def atoms(formulas: Iterable[Formula], positive: bool = True) -> Iterator[tuple[Atom, bool]]:
    """Yield every atom of a body with its sign: True outside negations and inside an even number of them."""
    for formula in formulas:
        match formula:
            case Atom():
                yield formula, positive
            case Not(part=part):
                yield from atoms((part,), not positive)
            case Or(parts=parts) | And(parts=parts):
                yield from atoms(parts, positive)
