"""Rules in the form the interpreter uses: terms are tuples, and conditions stand in an order that can be answered.

A ground term is a string or a tuple `(functor, argument, …)`. A pattern may also contain variables, which are indices
into the bindings of its clause. A query is a pattern whose variables were replaced by their values, or by None.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypeGuard

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl.formula import And, Atom, Distinct, Formula, Not, Or, formula_variables
from gdl_miner.agent.gdl.rules import Rule
from gdl_miner.agent.gdl.syntax import Compound, Location, Symbol, Term, Variable, format_term, ground, variables

# Terms nest without bound. These aliases do not express that: the items of a tuple are again such values.
GroundTerm = str | tuple[Any, ...]
Pattern = int | str | tuple[Any, ...]
Query = None | str | tuple[Any, ...]
Bindings = list[GroundTerm | None]
Predicate = tuple[str, int]

OPEN: frozenset[Predicate] = frozenset({("true", 1), ("does", 2)})
"""The relations that the state and the moves define, not the rules."""


@dataclass(eq=False, slots=True)
class Emit:
    """All conditions hold, so the head is an answer."""


@dataclass(eq=False, slots=True)
class Call:
    """Continue with every answer of an atom."""

    predicate: Predicate
    args: tuple[Pattern, ...]
    then: "ClauseStep"


@dataclass(eq=False, slots=True)
class Absent:
    """Continue if an atom has no answer."""

    predicate: Predicate
    args: tuple[Pattern, ...]
    then: "ClauseStep"


@dataclass(eq=False, slots=True)
class Test:
    """Continue if two terms differ or, under a negation, if they are the same."""

    left: Pattern
    right: Pattern
    differ: bool
    then: "ClauseStep"


@dataclass(eq=False, slots=True)
class Choice:
    """Continue with every branch."""

    branches: tuple["ClauseStep", ...]


ClauseStep = Emit | Call | Absent | Test | Choice


class OrderedClause:
    """One rule. The order of its steps depends on the variables that the query binds; it is computed on first use."""

    def __init__(self, head: Symbol | Compound, body: tuple[Formula, ...], position: Location) -> None:
        self.body = body
        self.position = position
        args = head.args if isinstance(head, Compound) else ()
        names = dict.fromkeys(
            v.name for v in (*variables(head), *(v for part in body for v in formula_variables(part)))
        )
        self.indices = {name: index for index, name in enumerate(names)}
        self.head = self._patterns(args)
        self._starts: dict[frozenset[int], ClauseStep] = {}
        self._orders: dict[tuple[tuple[Formula, ...], frozenset[int]], ClauseStep] = {}

    def first_step(self, bindings: Bindings) -> ClauseStep:
        """Return the first step for the variables that are bound.

        Raises:
            RuleError: no other condition binds a variable of a `distinct`.

        """
        bound = frozenset(index for index, value in enumerate(bindings) if value is not None)
        step = self._starts.get(bound)
        if step is None:
            step = self._starts[bound] = self._order(self.body, bound)
        return step

    def _order(self, goals: tuple[Formula, ...], bound: frozenset[int]) -> ClauseStep:
        step = self._orders.get((goals, bound))
        if step is None:
            step = self._orders[goals, bound] = self._make(goals, bound)
        return step

    def _make(self, goals: tuple[Formula, ...], bound: frozenset[int]) -> ClauseStep:
        if not goals:
            return Emit()
        chosen = min(range(len(goals)), key=lambda index: self._delay(goals, index, bound))
        goal, rest = goals[chosen], goals[:chosen] + goals[chosen + 1 :]
        match goal:
            case And(parts=parts):
                return self._order(parts + rest, bound)
            case Or(parts=parts):
                return Choice(tuple(self._order((part, *rest), bound) for part in parts))
            case Atom():
                return Call(goal.predicate, self._patterns(goal.args), self._order(rest, bound | self._variables(goal)))
            case Distinct():
                return self._test(goal, True, rest, bound)
            case Not(part=Distinct() as equality):
                return self._test(equality, False, rest, bound)
            case Not(part=Atom() as atom):
                return Absent(atom.predicate, self._patterns(atom.args), self._order(rest, bound))
            case Not():
                raise ValueError("a negated connective must be named before it is ordered")

    def _delay(self, goals: tuple[Formula, ...], index: int, bound: frozenset[int]) -> int:
        """Return the rank of a condition; conditions of lower rank come first.

        Conjunctions have rank 0, and so do tests (`distinct` and negations) that can be made. A test that waits for
        variables of other conditions has rank 4. Other conditions without free variables have rank 1, partly bound
        atoms of the state or of the moves rank 2, and the rest rank 3. Equal ranks keep the order of the sheet.
        """
        goal = goals[index]
        free = self._variables(goal) - bound
        match goal:
            case And():
                return 0
            case Not() | Distinct():
                others = (other for place, other in enumerate(goals) if place != index)
                binders = (self._variables(other) for other in others if not isinstance(other, Not | Distinct))
                return 0 if all(free.isdisjoint(binder) for binder in binders) else 4
            case Atom() if free and goal.predicate in OPEN and free != self._variables(goal):
                return 2
        return 3 if free else 1

    def _test(self, goal: Distinct, differ: bool, rest: tuple[Formula, ...], bound: frozenset[int]) -> ClauseStep:
        loose = self._variables(goal) - bound
        if loose:
            name = list(self.indices)[min(loose)]
            raise RuleError(f"{goal.position}: no other condition binds the variable {name} of 'distinct'; add one")
        left, right = self._patterns((goal.left, goal.right))
        return Test(left, right, differ, self._order(rest, bound))

    def _patterns(self, terms: Iterable[Term]) -> tuple[Pattern, ...]:
        return tuple(_pattern(term, self.indices) for term in terms)

    def _variables(self, formula: Formula) -> frozenset[int]:
        return frozenset(self.indices[variable.name] for variable in formula_variables(formula))


class RuleProgram(NamedTuple):
    """Rules as the prover takes them, and facts without variables."""

    clauses: dict[Predicate, list[OrderedClause]]
    facts: dict[Predicate, list[tuple[GroundTerm, ...]]]

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> Self:
        """Turn rules into clauses; a negated connective becomes a relation of its own."""
        program = cls({}, {})
        clauses: list[tuple[Predicate, OrderedClause]] = []
        for rule in rules:
            if rule.body or not ground(rule.head):
                _add(clauses, rule.head, rule.body, rule.position)
            else:
                args = rule.head.args if isinstance(rule.head, Compound) else ()
                program.facts.setdefault(rule.predicate, []).append(tuple(map(ground_term, args)))
        for predicate, clause in clauses:
            program.clauses.setdefault(predicate, []).append(clause)
        return program


def ground_term(term: Term) -> GroundTerm:
    """Return a term without variables in the form that the prover uses."""
    return (term.name, *map(ground_term, term.args)) if isinstance(term, Compound) else format_term(term)


def ground_text(term: GroundTerm) -> str:
    """Write a ground term canonically."""
    return f"({' '.join(map(ground_text, term))})" if isinstance(term, tuple) else term


def _add(
    clauses: list[tuple[Predicate, OrderedClause]],
    head: Symbol | Compound,
    body: tuple[Formula, ...],
    position: Location,
) -> None:
    simple = _simplified(body, set(variables(head)), clauses)
    predicate = head.name, len(head.args) if isinstance(head, Compound) else 0
    clauses.append((predicate, OrderedClause(head, simple, position)))


def _simplified(
    parts: tuple[Formula, ...], outside: set[Variable], clauses: list[tuple[Predicate, OrderedClause]]
) -> tuple[Formula, ...]:
    """Replace negated connectives by relations of their own.

    Variables that occur only inside such a connective are existentially quantified there.
    """
    variables_of = [set(formula_variables(part)) for part in parts]
    simple: list[Formula] = []
    for index, part in enumerate(parts):
        elsewhere = outside.union(*variables_of[:index], *variables_of[index + 1 :])
        match part:
            case Or() | And():
                simple.append(type(part)(_simplified(part.parts, elsewhere, clauses), part.position))
            case Not(part=(Or() | And() | Not()) as inner):
                shared = tuple(v for v in dict.fromkeys(formula_variables(inner)) if v in elsewhere)
                # The name is unique: no name of a sheet contains a blank, and no two formulas start at the same place.
                name = f"not {inner.position}"
                head = Compound(name, shared) if shared else Symbol(name)
                _add(clauses, head, (inner,), inner.position)
                simple.append(Not(Atom(head, inner.position), part.position))
            case _:
                simple.append(part)
    return tuple(simple)


def _pattern(term: Term, indices: dict[str, int]) -> Pattern:
    if isinstance(term, Compound):
        return (term.name, *(_pattern(argument, indices) for argument in term.args))
    return indices[term.name] if isinstance(term, Variable) else term.name


def match(pattern: Pattern, value: GroundTerm, bindings: Bindings) -> bool:
    """Extend the bindings so that the pattern equals the value. If that fails, the bindings are no longer usable."""
    if type(pattern) is int:
        known = bindings[pattern]
        if known is None:
            bindings[pattern] = value
            return True
        return known == value
    if type(pattern) is tuple:
        return type(value) is tuple and match_all(pattern, value, bindings)
    return pattern == value


def match_all(patterns: tuple[Pattern, ...], values: tuple[GroundTerm, ...], bindings: Bindings) -> bool:
    """Match item by item; return False also if the lengths differ."""
    if len(patterns) != len(values):
        return False
    return all(match(pattern, value, bindings) for pattern, value in zip(patterns, values, strict=True))


def instance(pattern: Pattern, bindings: Bindings) -> Query:
    """Replace the variables of a pattern by their values, or by None."""
    if isinstance(pattern, int):
        return bindings[pattern]
    if isinstance(pattern, tuple):
        return tuple([instance(item, bindings) for item in pattern])
    return pattern


def is_ground(query: Query) -> TypeGuard[GroundTerm]:
    """Whether a query contains no None."""
    if type(query) is tuple:
        return all(map(is_ground, query))
    return query is not None


def bind_head(pattern: Pattern, query: Query, bindings: Bindings) -> bool:
    """Bind the variables of a head's argument as far as a query determines them.

    Return False if no instance of the argument can answer the query.
    """
    if query is None:
        return True
    if type(pattern) is int:
        if not is_ground(query):
            return True
        return match(pattern, query, bindings)
    if type(pattern) is tuple:
        if type(query) is not tuple or len(query) != len(pattern):
            return False
        return all(bind_head(part, item, bindings) for part, item in zip(pattern, query, strict=True))
    return pattern == query
