"""Rules that build ever larger terms: with them the rules have no finite ground form, though every match may be finite.

An argument of a relation is a place. A rule carries a variable from the places where its positive conditions bind it to
places of its head, and there it may stand deeper in a term. Where every cycle of places can be followed without a term
that grows, the depth of terms is bounded, and the ground program is finite: the rules are argument-restricted (Lierler
& Lifschitz 2009). What `next` and `init` give is what `true` asks for, and `legal` gives what `does` asks for.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from gdl_miner.agent.gdl.dependencies import strong_components
from gdl_miner.agent.gdl.formula import atoms
from gdl_miner.agent.gdl.rules import Rule
from gdl_miner.agent.gdl.syntax import Compound, Location, Symbol, Term, Variable, format_term

_GIVES = {"next": "true", "init": "true", "does": "legal"}

_PATIENCE = 20
"""Average number of rounds through a cycle of places after which terms that still grow count as endless."""

_Place = tuple[str, int, int]
"""A relation by name and arity, and an argument of it; of fluents and moves also the functor and its arguments."""


_WHOLES: dict[_Place, _Place] = {("true", 1, 0): ("any true", 1, 0), ("legal", 2, 1): ("any legal", 2, 1)}
"""The places of fluents and moves that stand as variables, and places for those that other rules give as variables."""


class GrowingRule(NamedTuple):
    """A rule that builds a larger term of what another match of itself, or of others, has built."""

    position: Location
    head: str
    variable: str


class _Flow(NamedTuple):
    """A variable that a rule carries: all of `sources` must give its value, which then stands in all of `targets`."""

    rule: Rule | None  # None for a fluent or a move as a whole, which its arguments make
    variable: Variable
    sources: tuple[tuple[_Place, int], ...]  # places that bind the variable, and how deep it stands there
    targets: tuple[tuple[_Place, int], ...]

    def raised(self) -> list[_Place]:
        """Return the targets where the variable stands deeper than in every source."""
        least = {
            kind: min(_step(_kind(place), kind) - depth for place, depth in self.sources)
            for kind in {_kind(place) for place, _ in self.targets}
        }
        return [place for place, depth in self.targets if depth + least[_kind(place)] > 0]


_PlaceKind = Literal["whole", "part", "plain"]


def _kind(place: _Place) -> _PlaceKind:
    return "whole" if place in _WHOLES else "part" if " " in place[0] else "plain"


def _step(source: _PlaceKind, target: _PlaceKind) -> int:
    """Return how much deeper a part stands in the fluent or the move than by itself."""
    return (source == "whole" and target == "part") - (source == "part" and target == "whole")


def growing_rules(rules: Sequence[Rule]) -> list[GrowingRule]:
    """Return the rules whose terms may grow without end, in the order of the text; none if the depth is bounded."""
    flows = [flow for rule in rules if rule.body for flow in _flows(rule)]
    raised = [(flow, targets) for flow in flows if (targets := flow.raised())]
    if not raised:
        return []  # nothing stands deeper in a head than in a condition
    depth: dict[_Place, float] = {}
    for rule in rules:
        for place, argument in _places(rule.head):
            depth[place] = max(depth.get(place, 0), _depth(argument))
    places = dict.fromkeys([*depth, *(place for flow in flows for place, _ in flow.sources)])
    _let_grow(depth, [*filter(None, map(_new_values, flows)), *_wholes(places)])
    endless = {place for place, reached in depth.items() if reached == math.inf}
    found: dict[Location, GrowingRule] = {}
    for flow, targets in raised:
        recurs = endless.issuperset(place for place, _ in flow.sources) and not endless.isdisjoint(targets)
        if flow.rule is not None and recurs:
            grown = GrowingRule(flow.rule.position, format_term(flow.rule.head), flow.variable.name)
            found.setdefault(grown.position, grown)
    return [found[position] for position in sorted(found, key=lambda place: (place.line, place.column))]


def _let_grow(depth: dict[_Place, float], flows: Sequence[_Flow]) -> None:
    """Raise the depth of each place to the least that all flows allow, infinite where there is no end.

    Places and flows that feed each other are settled together, after those on which they depend.
    """
    givers: dict[_Place, list[tuple[int, int]]] = {}
    readers: dict[_Place, list[int]] = {}
    for number, flow in enumerate(flows):
        for place, deeper in flow.targets:
            givers.setdefault(place, []).append((number, deeper))
        for place, _ in flow.sources:
            readers.setdefault(place, []).append(number)
    uses: dict[int | _Place, list[int | _Place]] = {
        number: [place for place, _ in flow.sources] for number, flow in enumerate(flows)
    }
    uses.update((place, [number for number, _ in numbers]) for place, numbers in givers.items())
    component = strong_components(uses)
    members: dict[int, list[int | _Place]] = {}
    for node, group in component.items():
        members.setdefault(group, []).append(node)
    value = [0.0] * len(flows)
    for group in sorted(members):  # the larger depend on the smaller
        steps = limit = 1.0
        for place in (node for node in members[group] if not isinstance(node, int)):
            inner = [deeper for number, deeper in givers.get(place, ()) if component[number] == group]
            outer = [value[number] + deeper for number, deeper in givers.get(place, ()) if component[number] != group]
            depth[place] = max(0, depth.get(place, 0), *outer)
            limit += max([0, *inner])
        own = [node for node in members[group] if isinstance(node, int)]
        around = {place for number in own for place, _ in flows[number].sources}
        limit += max((depth[place] for place in around if depth[place] < math.inf), default=0)
        steps += _PATIENCE * sum(len(flows[number].sources) + len(flows[number].targets) for number in own)
        waiting = deque(own)
        queued = set(own)
        while waiting:
            number = waiting.popleft()
            queued.remove(number)
            flow = flows[number]
            steps -= len(flow.sources) + len(flow.targets)
            value[number] = min(max(0, depth[place] - within) for place, within in flow.sources)
            for place, deeper in flow.targets:
                if component[place] != group or depth[place] >= (reached := value[number] + deeper):
                    continue
                depth[place] = math.inf if reached >= limit or steps < 0 else reached
                for reader in readers.get(place, ()):
                    if component[reader] == group and reader not in queued:
                        queued.add(reader)
                        waiting.append(reader)


def _flows(rule: Rule) -> Iterator[_Flow]:
    """Yield what a rule carries from its positive conditions to its head."""
    targets: dict[Variable, dict[tuple[_Place, int], None]] = {}
    for place, argument in _places(rule.head):
        for variable, depth in _variables(argument):
            targets.setdefault(variable, {})[place, depth] = None
    bound: dict[Variable, dict[tuple[_Place, int], None]] = {}
    for atom, positive in atoms(rule.body):
        if positive:
            for place, argument in _places(atom.term):
                for variable, depth in _variables(argument):
                    bound.setdefault(variable, {})[place, depth] = None
    for variable, places in targets.items():
        if variable in bound:
            yield _Flow(rule, variable, tuple(bound[variable]), tuple(places))


def _new_values(flow: _Flow) -> _Flow | None:
    """Return a flow without targets that have its values already, None if no target is left."""
    sources = set(flow.sources)
    targets = tuple(
        (_WHOLES.get(place, place), depth) for place, depth in flow.targets if (place, depth) not in sources
    )
    return flow._replace(targets=targets) if targets else None


def _wholes(places: Collection[_Place]) -> Iterator[_Flow]:
    """Yield what ties fluents and moves that stand as variables to those whose arguments are places."""
    value = Variable("?")
    for whole, given in _WHOLES.items():
        parts = [place for place in places if place[0].startswith(f"{whole[0]} ")]
        yield _Flow(None, value, ((given, 0),), ((whole, 0), *((place, -1) for place in parts)))
        yield from (_Flow(None, value, ((place, 0),), ((whole, 1),)) for place in parts)


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
