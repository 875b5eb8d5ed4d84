"""Conformance with mGDL, in which variables never stand for terms with arguments (thesis 4.1.3, algorithm 6.1)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gdl_miner.agent.gdl.formula import Atom, atoms, format_formula
from gdl_miner.agent.gdl.keywords import KEYWORDS
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Location, format_term
from gdl_miner.agent.gdl.unification import apart, unify

__all__ = ["ComplexBinding", "Conformance", "conformance"]


@dataclass(frozen=True, slots=True)
class ComplexBinding:
    """A condition that unifies with a head by binding a variable to a term with arguments."""

    position: Location
    condition: str
    variable: str
    term: str
    head_position: Location

    def __str__(self) -> str:
        return (
            f"{self.position}: {self.variable} in '{self.condition}' may be {self.term}"
            f" (line {self.head_position.line})"
        )


@dataclass(frozen=True, slots=True)
class Conformance:
    """The result of the test: conforming, or inconclusive, since the bindings found need not occur in a match."""

    places: tuple[ComplexBinding, ...]

    @property
    def conforming(self) -> bool:
        """Whether the sheet means the same in mGDL."""
        return not self.places


def conformance(sheet: RuleSheet) -> Conformance:
    """Unify the conditions of all rules, except rules of reserved relations, with all heads (algorithm 6.1)."""
    heads: dict[tuple[str, int], list[Rule]] = {}
    for rule in sheet.rules:
        heads.setdefault(rule.predicate, []).append(rule)
    places: list[ComplexBinding] = []
    for rule in sheet.rules:
        if rule.head.name not in KEYWORDS:
            for atom, _ in atoms(rule.body):
                places += _complex_bindings(atom, heads.get(atom.predicate, ()))
    return Conformance(tuple(dict.fromkeys(places)))


def _complex_bindings(atom: Atom, rules: Iterable[Rule]) -> Iterator[ComplexBinding]:
    """Yield the first complex binding with each head."""
    for rule in rules:
        head_args = rule.head.args if isinstance(rule.head, Compound) else ()
        unifier = unify([(left, apart(right)) for left, right in zip(atom.args, head_args, strict=True)])
        for variable, term in (unifier or {}).items():
            if isinstance(term, Compound):
                text = format_term(term).replace("?head ", "?")
                yield ComplexBinding(
                    atom.position, format_formula(atom), variable.name.replace("?head ", "?"), text, rule.position
                )
                break
