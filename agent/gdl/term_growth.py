"""Rules that build ever larger terms: with them the rules have no finite ground form, though every match may be finite.

An argument of a relation is a place. A rule carries a variable from the places where its positive conditions bind it to
places of its head, and there it may stand deeper in a term. Where every cycle of places can be followed without a term
that grows, the depth of terms is bounded, and the ground program is finite: the rules are argument-restricted (Lierler
& Lifschitz 2009). What `next` and `init` give is what `true` asks for, and `legal` gives what `does` asks for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from gdl_miner.agent.gdl.formula import atoms
from gdl_miner.agent.gdl.rules import Rule
from gdl_miner.agent.gdl.syntax import Compound, Location, Symbol, Term, Variable, format_term

_GIVES = {"next": "true", "init": "true", "does": "legal"}

_Place = tuple[str, int, int]
"""A relation by name and arity, and an argument of it; of fluents and moves also the functor and its arguments."""


_WHOLES = {("true", 1, 0), ("legal", 2, 1)}
"""The places of fluents and moves that stand as variables."""


class GrowingRule(NamedTuple):
    """A rule that builds a larger term of what another match of itself, or of others, has built."""

    position: Location
    head: str
    variable: str


class _Carry(NamedTuple):
    """A variable that a rule carries to a place: there it stands `depth` deep, and `sources` give its values."""

    rule: Rule | None  # None for a fluent or a move as a whole, which its arguments make
    variable: Variable
    place: _Place
    depth: int
    sources: tuple[tuple[_Place, int], ...]  # places that bind the variable, and how deep it stands there

    @property
    def growth(self) -> int:
        """How much deeper the variable stands at least."""
        return min(
            self.depth
            - depth
            + (place in _WHOLES and " " in self.place[0])
            - (self.place in _WHOLES and " " in place[0])
            for place, depth in self.sources
        )


def growing_rules(rules: Sequence[Rule]) -> list[GrowingRule]:
    """Return the rules whose terms may grow without end, in the order of the text; none if the depth is bounded."""
    carries = [carry for rule in rules if rule.body for carry in _carries(rule)]
    if not any(carry.growth > 0 for carry in carries):
        return []  # nothing stands deeper in a head than in a condition
    depth: dict[_Place, int] = {}
    for rule in rules:
        for place, argument in _places(rule.head):
            depth[place] = max(depth.get(place, 0), _depth(argument))
    carries += _wholes({*depth, *(place for carry in carries for place, _ in carry.sources)})
    deepest: dict[_Place, int] = {}
    for carry in carries:
        deepest[carry.place] = max(deepest.get(carry.place, 0), carry.depth)
    most = max(depth.values(), default=0) + sum(deepest.values()) + 1
    readers: dict[_Place, list[_Carry]] = {}
    for carry in carries:
        for place, _ in carry.sources:
            readers.setdefault(place, []).append(carry)
    waiting = dict.fromkeys(carries)
    while waiting:
        carry = next(iter(waiting))
        del waiting[carry]
        value = min((max(0, depth.get(place, 0) - inner) for place, inner in carry.sources), default=0)
        if depth.get(carry.place, 0) < (reached := min(value + carry.depth, most)):
            depth[carry.place] = reached
            waiting.update(dict.fromkeys(readers.get(carry.place, ())))
    endless = {place for place, reached in depth.items() if reached >= most}
    found = {
        carry.rule.position: GrowingRule(carry.rule.position, format_term(carry.rule.head), carry.variable.name)
        for carry in reversed(carries)
        if carry.rule is not None
        and carry.place in endless
        and all(place in endless for place, _ in carry.sources)
        and carry.growth > 0
    }
    return [found[position] for position in sorted(found, key=lambda place: (place.line, place.column))]


def _carries(rule: Rule) -> Iterator[_Carry]:
    """Yield what a rule carries from its positive conditions to its head."""
    bound: dict[Variable, list[tuple[_Place, int]]] = {}
    for atom, positive in atoms(rule.body):
        if positive:
            for place, argument in _places(atom.term):
                for variable, depth in _variables(argument):
                    bound.setdefault(variable, []).append((place, depth))
    for place, argument in _places(rule.head):
        for variable, depth in _variables(argument):
            if variable in bound:
                yield _Carry(rule, variable, place, depth, tuple(dict.fromkeys(bound[variable])))


def _wholes(places: Collection[_Place]) -> Iterator[_Carry]:
    """Yield what ties fluents and moves that stand as variables to those whose arguments are places."""
    value = Variable("?")
    for whole in _WHOLES & set(places):
        for place in places:
            if place[0].startswith(f"{whole[0]} "):
                yield _Carry(None, value, whole, 1, ((place, 0),))
                yield _Carry(None, value, place, 0, ((whole, 1),))


def _places(atom: Term) -> Iterable[tuple[_Place, Term]]:
    """Yield the arguments of an atom with their places; those of fluents and moves stand for themselves."""
    if not isinstance(atom, Compound):
        return
    name = _GIVES.get(atom.name, atom.name)
    for number, argument in enumerate(atom.args):
        last = number == len(atom.args) - 1
        if last and name in ("true", "legal") and isinstance(argument, Compound):
            for inner, part in enumerate(argument.args):
                yield (f"{name} {argument.name}", len(argument.args), inner), part
        else:
            yield (name, len(atom.args), number), argument


def _variables(term: Term, depth: int = 0) -> Iterator[tuple[Variable, int]]:
    """Yield the variables of a term, and how deep each stands."""
    if isinstance(term, Variable):
        yield term, depth
    elif isinstance(term, Compound):
        for argument in term.args:
            yield from _variables(argument, depth + 1)


def _depth(term: Term) -> int:
    if isinstance(term, Symbol | Variable):
        return 0
    return 1 + max(map(_depth, term.args))
