"""Rewriting of clauses before they are grounded: they mean the same and are cheaper to ground.

Long joins become joins of few variables (bucket elimination, Dechter 1999). A variable that the head does not mention
is eliminated together with the conditions that mention it: they become a fresh relation over their other variables.
Instances then multiply over the variables of a bucket, not over the variables of the whole clause. A variable is
eliminated only if its bucket leaves out some variable of the clause, and if the fresh relation is no wider than the
widest relation it joins: a wider one may be far larger than anything the clause needs.

Variables that only one condition mentions are projected away. A positive condition with variables that occur nowhere
else in its clause is replaced by a fresh relation over its other variables: `next(cell(X)) <= cell(X), does(R, move(A,
B))` need not be instantiated for every R, A and B. Without this the frame axioms of large boards do not ground in
reasonable time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from gdl_miner.agent.gdl.syntax import Compound, Symbol, Term, Variable
from gdl_miner.agent.reasoner.normal_form import Clause, Conjunction, fresh_atom, substitute, variables

_OPEN = frozenset({"true", "does"})


class _Bucket(NamedTuple):
    """The conditions that mention one variable, the other conditions, and the variables that occur in both."""

    inside: Conjunction
    outside: Conjunction
    kept: tuple[Variable, ...]
    width: int  # number of variables inside


def decompose(clauses: list[Clause]) -> list[Clause]:
    """Return clauses of short joins, which mean the same for every relation of the sheet."""
    decomposition = _Decomposition(static_relations(clauses))
    rewritten = [decomposition.rewrite(clause) if clause.positive else clause for clause in clauses]
    return decomposition.definitions + rewritten


def static_relations(clauses: list[Clause]) -> frozenset[str]:
    """Return the relations that depend neither on the state nor on the moves."""
    dynamic = set(_OPEN)
    grown = True
    while grown:
        grown = False
        for clause in clauses:
            if _name(clause.head) not in dynamic and any(
                _name(atom) in dynamic for atom in (*clause.positive, *clause.negative)
            ):
                dynamic.add(_name(clause.head))
                grown = True
    return frozenset(_name(clause.head) for clause in clauses) - dynamic


def _name(atom: Term) -> str:
    return atom.name


class _Decomposition:
    def __init__(self, static: frozenset[str]) -> None:
        self.definitions: list[Clause] = []
        self._static = static
        self._relations: dict[tuple[Conjunction, tuple[Variable, ...]], Symbol | Compound] = {}

    def rewrite(self, clause: Clause) -> Clause:
        """Eliminate variables from a clause as long as a useful bucket exists."""
        while (bucket := self._best_bucket(clause)) is not None:
            outside = bucket.outside
            atom = self._relation(bucket, clause)
            clause = Clause(clause.head, (atom, *outside.positive), outside.negative, outside.distinct, clause.position)
        return clause

    def _best_bucket(self, clause: Clause) -> _Bucket | None:
        body = Conjunction(clause.positive, clause.negative, clause.distinct)
        everything = variables(clause.head, *body.terms())
        head = variables(clause.head)
        if len(everything) < 3:
            return None
        buckets = (self._bucket(variable, clause.head, body) for variable in everything if variable not in head)
        useful = [bucket for bucket in buckets if bucket is not None and bucket.width < len(everything)]
        return min(useful, key=lambda bucket: (bucket.width, len(bucket.kept)), default=None)

    def _bucket(self, variable: Variable, head: Term, body: Conjunction) -> _Bucket | None:
        inside = _selected(body, variable, wanted=True)
        outside = _selected(body, variable, wanted=False)
        joined = variables(*inside.terms())
        if len(inside.positive) + len(inside.negative) + len(inside.distinct) < 2 or not inside.binds(joined):
            return None
        elsewhere = variables(head, *outside.terms())
        kept = tuple(one for one in joined if one in elsewhere)
        if len(kept) > max(len(variables(atom)) for atom in inside.positive):
            return None
        return _Bucket(inside, outside, kept, len(joined))

    def _relation(self, bucket: _Bucket, clause: Clause) -> Term:
        """Return the atom of the fresh relation for a bucket; equal buckets share one relation.

        Static relations outside the bucket whose variables all occur inside are added to its definition as filters.
        """
        inside = bucket.inside
        joined = variables(*inside.terms())
        filters = tuple(
            atom
            for atom in bucket.outside.positive
            if _name(atom) in self._static and variables(atom) and variables(atom).keys() <= joined.keys()
        )
        inside = inside._replace(positive=inside.positive + filters)
        names: dict[Variable, Term] = {old: Variable(f"?{number}") for number, old in enumerate(joined)}
        arguments = tuple(Variable(f"?{list(joined).index(old)}") for old in bucket.kept)
        body = _renamed(inside, names)
        key = (body, arguments)
        if key not in self._relations:
            head = self._relations[key] = fresh_atom("join", len(self._relations), arguments)
            definition = Clause(head, body.positive, body.negative, body.distinct, clause.position)
            self.definitions.append(self.rewrite(definition))
        relation = self._relations[key]
        return Compound(relation.name, bucket.kept) if isinstance(relation, Compound) else relation


def _selected(body: Conjunction, variable: Variable, *, wanted: bool) -> Conjunction:
    def mentions(*terms: Term) -> bool:
        return (variable in variables(*terms)) == wanted

    return Conjunction(
        tuple(atom for atom in body.positive if mentions(atom)),
        tuple(atom for atom in body.negative if mentions(atom)),
        tuple(pair for pair in body.distinct if mentions(*pair)),
    )


def _renamed(body: Conjunction, names: dict[Variable, Term]) -> Conjunction:
    def renamed(terms: Iterable[Term]) -> tuple[Term, ...]:
        return tuple(substitute(term, names) for term in terms)

    pairs = tuple((substitute(left, names), substitute(right, names)) for left, right in body.distinct)
    return Conjunction(renamed(body.positive), renamed(body.negative), pairs)


def project(clauses: list[Clause]) -> list[Clause]:
    """Return clauses without variables that one condition mentions; they mean the same for every relation."""
    projection = _Projection()
    rewritten = [projection.rewrite(clause) if clause.positive else clause for clause in clauses]
    return projection.definitions + rewritten


class _Projection:
    def __init__(self) -> None:
        self.definitions: list[Clause] = []
        self._relations: dict[tuple[Term, tuple[Variable, ...]], Symbol | Compound] = {}

    def rewrite(self, clause: Clause) -> Clause:
        pairs = [term for pair in clause.distinct for term in pair]
        terms = (clause.head, *clause.positive, *clause.negative, *pairs)
        mentions = Counter(variable for term in terms for variable in variables(term))
        return clause._replace(positive=tuple(self._projected(atom, mentions, clause) for atom in clause.positive))

    def _projected(self, atom: Term, mentions: Counter[Variable], clause: Clause) -> Term:
        all_variables = variables(atom)
        kept = [variable for variable in all_variables if mentions[variable] > 1]
        if len(kept) == len(all_variables):
            return atom
        names: dict[Variable, Term] = {old: Variable(f"?{number}") for number, old in enumerate(all_variables)}
        pattern, arguments = substitute(atom, names), [Variable(f"?{list(all_variables).index(old)}") for old in kept]
        key = (pattern, tuple(arguments))
        if key not in self._relations:
            head = self._relations[key] = fresh_atom("some", len(self._relations), arguments)
            self.definitions.append(Clause(head, (pattern,), (), (), clause.position))
        relation = self._relations[key]
        return Compound(relation.name, tuple(kept)) if isinstance(relation, Compound) else relation
