"""Rewriting before grounding: variables that only one condition mentions are projected away.

A positive condition with variables that occur nowhere else in its clause is replaced by a fresh relation over its other
variables: `next(cell(X)) <= cell(X), does(R, move(A, B))` need not be instantiated for every R, A and B. Without this
the frame axioms of large boards do not ground in reasonable time.
"""

from __future__ import annotations

from collections import Counter

from gdl_miner.agent.gdl.syntax import Compound, Symbol, Term, Variable
from gdl_miner.agent.reasoner.normal_form import Clause, fresh_atom, substitute, variables


def project(clauses: list[Clause]) -> list[Clause]:
    """Return clauses that mean the same for every relation of the sheet and are cheaper to ground."""
    projection = _Projection()
    rewritten = [projection.rewrite(clause) for clause in clauses]
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
