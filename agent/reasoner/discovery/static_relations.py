"""Relations that no move changes, such as `(succ 1 2)`, and the argument positions that the rules join them with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gdl_miner.agent.errors import RuleError
from gdl_miner.agent.gdl.board import EXTENSION
from gdl_miner.agent.gdl.formula import Formula, atoms
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Symbol, Term, Variable, format_term, ground
from gdl_miner.agent.reasoner.clauses import OrderedClause, Predicate, clauses_of
from gdl_miner.agent.reasoner.tabling import Facts, Prover

Place = tuple[str, str, int, int]
"""An argument position: what it is of (`fluent`, `move` or `relation`), name, arity and number of the argument."""

_RESERVED = {"role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", *EXTENSION}
_MOST_ARGUMENTS = 4  # of a relation that is looked at
_MOST_TUPLES = 50_000  # of a relation
_MOST_DERIVED_ARGUMENTS = 3  # of a relation that rules define
_MOST_TICKS = 8  # of the prover, for a relation that rules define


@dataclass(frozen=True)
class StaticRelations:
    """Extensions of static relations, and their links to argument positions of fluents and moves."""

    tuples: Mapping[Predicate, tuple[tuple[str, ...], ...]]
    """All instances of each relation of two arguments or more, as texts."""
    linked: Mapping[Place, frozenset[Predicate]]
    """Relations with an argument that some rule gives the value of an argument position of fluents or moves."""
    alike: Mapping[Place, Place]
    """For each argument position of fluents, moves and changing relations one of those that rules give its values."""
    static: frozenset[Predicate]
    """All static relations."""
    rules: tuple[Rule, ...]
    """The rules of static relations."""


class _WorkSpentError(Exception):
    """The prover took too many steps."""


def static_relations(sheet: RuleSheet) -> StaticRelations:
    """Find the static relations of a sheet; relations that take too long to derive are left out."""
    static = _static_predicates(sheet)
    linked, alike = _links(sheet, static)
    rules = tuple(rule for rule in sheet.rules if rule.predicate in static)
    tuples = _extensions(sheet, static, set().union(*linked.values()))
    return StaticRelations(tuples, linked, alike, frozenset(static), rules)


def _static_predicates(sheet: RuleSheet) -> set[Predicate]:
    uses: dict[Predicate, set[Predicate]] = defaultdict(set)
    for rule in sheet.rules:
        uses[rule.predicate] |= {atom.predicate for atom, _ in atoms(rule.body)}
    changing: set[Predicate] = {("true", 1), ("does", 2)}
    grown = True
    while grown:
        fresh = {head for head, used in uses.items() if head not in changing and used & changing}
        changing |= fresh
        grown = bool(fresh)
    return {head for head in uses if head not in changing and head[0] not in _RESERVED}


def _extensions(
    sheet: RuleSheet, static: set[Predicate], linked: set[Predicate]
) -> dict[Predicate, tuple[tuple[str, ...], ...]]:
    """Return the instances of relations; those that rules define are derived only where they are linked and small."""
    wanted = {predicate for predicate in static if 2 <= predicate[1] <= _MOST_ARGUMENTS}
    derived = {rule.predicate for rule in sheet.rules if rule.body or not ground(rule.head)}
    found: dict[Predicate, tuple[tuple[str, ...], ...]] = {}
    listed: dict[Predicate, dict[tuple[str, ...], None]] = defaultdict(dict)
    for rule in sheet.rules:
        if rule.predicate in wanted - derived and isinstance(rule.head, Compound):
            listed[rule.predicate].setdefault(tuple(map(format_term, rule.head.args)))
    found |= {predicate: tuple(sorted(tuples)) for predicate, tuples in listed.items()}
    rules = [rule for rule in sheet.rules if rule.predicate in static]
    for predicate in sorted(wanted & derived & linked):
        if predicate[1] <= _MOST_DERIVED_ARGUMENTS:
            tuples = derive(rules, predicate)
            if tuples:
                found[predicate] = tuples
    return {predicate: tuples for predicate, tuples in found.items() if len(tuples) <= _MOST_TUPLES}


def derive(
    rules: Iterable[Rule], predicate: Predicate, most_ticks: int = _MOST_TICKS
) -> tuple[tuple[str, ...], ...] | None:
    """Return the instances of a relation that rules define, None if that takes too many steps or is not defined.

    `most_ticks` bounds the steps, in ticks of the prover.
    """
    clauses: dict[Predicate, list[OrderedClause]] = defaultdict(list)
    facts: dict[Predicate, list[tuple[object, ...]]] = defaultdict(list)
    for rule in rules:
        if rule.body or not ground(rule.head):
            for head, clause in clauses_of([rule]):
                clauses[head].append(clause)
        else:
            args = rule.head.args if isinstance(rule.head, Compound) else ()
            facts[rule.predicate].append(tuple(map(_plain, args)))
    left = most_ticks

    def tick() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise _WorkSpentError

    prover = Prover(
        clauses,
        {head: Facts(found) for head, found in facts.items()},
        {head: {} for head in (*clauses, *facts, predicate)},
        tick,
    )
    try:
        answers = prover.answers(predicate, *[None] * predicate[1])
        return tuple(sorted(tuple(map(_text, answer)) for answer in answers))
    except (_WorkSpentError, RuleError, KeyError):
        return None


def _plain(term: Term) -> object:
    return (term.name, *map(_plain, term.args)) if isinstance(term, Compound) else format_term(term)


def _text(term: object) -> str:
    return f"({' '.join(map(_text, term))})" if isinstance(term, tuple) else str(term)


class _Classes:
    """A union-find over argument positions."""

    def __init__(self) -> None:
        self._parent: dict[Place, Place] = {}

    def find(self, place: Place) -> Place:
        root = place
        while (parent := self._parent.setdefault(root, root)) != root:
            root = parent
        while self._parent[place] != root:
            self._parent[place], place = root, self._parent[place]
        return root

    def join(self, one: Place, other: Place) -> None:
        self._parent[self.find(one)] = self.find(other)


def _links(sheet: RuleSheet, static: set[Predicate]) -> tuple[dict[Place, frozenset[Predicate]], dict[Place, Place]]:
    """Return the static relations that share a variable with each argument position, or with one joined with it.

    The second result has for each position one of those that it is joined with.

    Positions of fluents, moves and changing relations that share a variable are joined. A static relation that rules
    define links to what its own rules link its argument to.
    """
    classes = _Classes()
    touched: dict[Place, set[Place]] = defaultdict(set)
    for rule in sheet.rules:
        of_variable: dict[str, list[Place]] = defaultdict(list)
        for name, place in _occurrences(rule):
            of_variable[name].append(place)
        head_is_static = rule.predicate in static
        for found in of_variable.values():
            own = [place for place in found if not _is_static(place, static)]
            if head_is_static:
                own = [place for place in found if place[1:3] == rule.predicate and place[0] == "relation"]
            for place in own:
                if not head_is_static:
                    classes.join(own[0], place)
                touched[place] |= {each for each in found if _is_static(each, static)} - {place}
    joined: dict[Place, set[Place]] = defaultdict(set)
    for place, used in touched.items():
        joined[classes.find(place)] |= used
    linked = {
        place: frozenset(_reached(joined[classes.find(place)], touched)) for place in touched if place[0] != "relation"
    }
    return linked, {place: classes.find(place) for place in touched}


def _is_static(place: Place, static: set[Predicate]) -> bool:
    return place[0] == "relation" and (place[1], place[2]) in static


def _reached(first: set[Place], touched: Mapping[Place, set[Place]]) -> set[Predicate]:
    seen, pending = set(first), list(first)
    while pending:
        fresh = touched.get(pending.pop(), set()) - seen
        seen |= fresh
        pending += fresh
    return {(name, arity) for _, name, arity, _ in seen}


def _occurrences(rule: Rule) -> Iterator[tuple[str, Place]]:
    yield from _of_term(rule.head)
    formulas: tuple[Formula, ...] = rule.body
    for atom, _ in atoms(formulas):
        yield from _of_term(atom.term)


def _of_term(term: Symbol | Compound) -> Iterator[tuple[str, Place]]:
    """Find the variables of an atom that are arguments of its relation, fluent or move."""
    kind, inner = term_of_atom(term)
    if isinstance(inner, Compound):
        for number, argument in enumerate(inner.args):
            if isinstance(argument, Variable):
                yield argument.name, (kind, inner.name, len(inner.args), number)


def term_of_atom(term: Symbol | Compound) -> tuple[str, Term]:
    """Return the fluent or the move of an atom, or the relation itself, and which of the three it is."""
    if isinstance(term, Compound) and term.name in ("true", "init", "next") and len(term.args) == 1:
        return "fluent", term.args[0]
    if isinstance(term, Compound) and term.name in ("does", "legal") and len(term.args) == 2:
        return "move", term.args[1]
    return "relation", term
