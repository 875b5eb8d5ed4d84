"""Normal clauses: rules whose body is a plain conjunction, as the grounder requires.

`or`, `and` and nested `not` are expanded. If the alternatives of a rule would multiply beyond `MAX_ALTERNATIVES`, a
disjunction becomes a fresh relation over its variables instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, product
from math import prod
from typing import NamedTuple

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl.formula import And, Atom, Distinct, Formula, Not, Or
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Location, Symbol, Term, Variable, ground

MAX_ALTERNATIVES = 16
FRESH = "\x00"  # first character of fresh relations; no relation of a sheet starts with it


class Clause(NamedTuple):
    """The clause ``head <= positive, not negative, distinct``, with the position of the rule that it came from."""

    head: Term
    positive: tuple[Term, ...]
    negative: tuple[Term, ...]
    distinct: tuple[tuple[Term, Term], ...]
    position: Location


class Conjunction(NamedTuple):
    """One alternative of a rule's body."""

    positive: tuple[Term, ...] = ()
    negative: tuple[Term, ...] = ()
    distinct: tuple[tuple[Term, Term], ...] = ()
    same: tuple[tuple[Term, Term], ...] = ()

    def terms(self) -> list[Term]:
        """Return all terms of the conjunction."""
        pairs = [term for pair in self.distinct + self.same for term in pair]
        return [*self.positive, *self.negative, *pairs]

    def binds(self, wanted: Iterable[Variable]) -> bool:
        """Whether the positive part alone binds the wanted variables and all variables of the rest."""
        bound = variables(*self.positive)
        return all(variable in bound for variable in (*wanted, *variables(*self.terms())))


def variables(*terms: Term) -> dict[Variable, None]:
    """Return the variables of terms in order of first occurrence (an ordered set)."""
    ordered: dict[Variable, None] = {}
    stack = list(reversed(terms))
    while stack:
        term = stack.pop()
        if isinstance(term, Variable):
            ordered[term] = None
        elif isinstance(term, Compound):
            stack.extend(reversed(term.args))
    return ordered


def substitute(term: Term, binding: dict[Variable, Term]) -> Term:
    """Replace variables of a term."""
    if isinstance(term, Variable):
        return binding.get(term, term)
    if isinstance(term, Compound):
        return Compound(term.name, tuple(substitute(arg, binding) for arg in term.args))
    return term


def fresh_atom(kind: str, number: int, arguments: Iterable[Variable]) -> Symbol | Compound:
    """Return an atom of a relation that no sheet can name."""
    arguments = tuple(arguments)
    name = f"{FRESH}{kind}{number}"
    return Compound(name, arguments) if arguments else Symbol(name)


def clauses_of(sheet: RuleSheet) -> list[Clause]:
    """Return the normal clauses of a sheet, in its order."""
    expansion = _Expansion()
    for rule in sheet.rules:
        expansion.add(rule)
    return expansion.clauses


@dataclass
class _Expansion:
    clauses: list[Clause] = field(default_factory=list)
    fresh: int = 0

    def add(self, rule: Rule) -> None:
        if not rule.body and ground(rule.head):  # as nearly all rules of a large sheet
            self.clauses.append(Clause(rule.head, (), (), (), rule.position))
            return
        alternatives = [list(_alternatives(formula, negated=False)) for formula in rule.body]
        if prod(map(len, alternatives)) > MAX_ALTERNATIVES:
            self._name_disjunctions(rule, alternatives)
        for choice in product(*alternatives):
            self._emit(rule.head, _joined(choice), rule.position)

    def _name_disjunctions(self, rule: Rule, alternatives: list[list[Conjunction]]) -> None:
        """Replace disjunctions by fresh relations over the variables that they share with the rest of the rule.

        A disjunction stays as it is if one of its parts would be an unsafe clause.
        """
        for index, parts in enumerate(alternatives):
            rest = chain.from_iterable(alternatives[:index] + alternatives[index + 1 :])
            outside = set(variables(rule.head, *(term for one in rest for term in one.terms())))
            shared = [v for v in variables(*(term for part in parts for term in part.terms())) if v in outside]
            if len(parts) < 2 or any(not part.binds(shared) for part in parts):
                continue
            atom = fresh_atom("or", self.fresh, shared)
            self.fresh += 1
            for part in parts:
                self._emit(atom, part, rule.position)
            alternatives[index] = [Conjunction(positive=(atom,))]

    def _emit(self, head: Term, body: Conjunction, position: Location) -> None:
        binding = _unified(body.same)
        if binding is None:
            return
        positive = tuple(dict.fromkeys(substitute(term, binding) for term in body.positive))
        negative = tuple(dict.fromkeys(substitute(term, binding) for term in body.negative))
        distinct = [(substitute(left, binding), substitute(right, binding)) for left, right in body.distinct]
        clause = Clause(substitute(head, binding), positive, negative, tuple(dict.fromkeys(distinct)), position)
        _require_safe(clause)
        self.clauses.append(clause)


def _alternatives(formula: Formula, *, negated: bool) -> Iterator[Conjunction]:
    """Yield the disjunctive normal form of a formula."""
    match formula:
        case Atom(term=term):
            yield Conjunction(negative=(term,)) if negated else Conjunction(positive=(term,))
        case Distinct(left=left, right=right):
            yield Conjunction(same=((left, right),)) if negated else Conjunction(distinct=((left, right),))
        case Not(part=part):
            yield from _alternatives(part, negated=not negated)
        case Or(parts=parts) | And(parts=parts):
            branches = [list(_alternatives(part, negated=negated)) for part in parts]
            if isinstance(formula, Or) != negated:
                for branch in branches:
                    yield from branch
            else:
                yield from map(_joined, product(*branches))


def _joined(parts: Iterable[Conjunction]) -> Conjunction:
    parts = tuple(parts)
    return Conjunction(
        tuple(term for part in parts for term in part.positive),
        tuple(term for part in parts for term in part.negative),
        tuple(pair for part in parts for pair in part.distinct),
        tuple(pair for part in parts for pair in part.same),
    )


def _unified(pairs: tuple[tuple[Term, Term], ...]) -> dict[Variable, Term] | None:
    """Return the most general unifier of pairs of terms, None if they cannot be equal."""
    binding: dict[Variable, Term] = {}
    pending = list(pairs)
    while pending:
        left, right = (substitute(term, binding) for term in pending.pop())
        if left == right:
            continue
        if isinstance(right, Variable):
            left, right = right, left
        if isinstance(left, Variable):
            if left in variables(right):
                return None
            binding = {variable: substitute(term, {left: right}) for variable, term in binding.items()} | {left: right}
        elif isinstance(left, Compound) and isinstance(right, Compound):
            if (left.name, len(left.args)) != (right.name, len(right.args)):
                return None
            pending.extend(zip(left.args, right.args, strict=True))
        else:
            return None
    return binding


def _require_safe(clause: Clause) -> None:
    bound = variables(*clause.positive)
    rest = variables(clause.head, *clause.negative, *(term for pair in clause.distinct for term in pair))
    for variable in rest:
        if variable not in bound:
            raise RuleError(
                f"{clause.position}: variable {variable.name} is in no positive condition of this rule; "
                "add one that says what it ranges over"
            )
