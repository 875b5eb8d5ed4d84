"""The dependencies between the relations, or the rules, of a rule sheet, and checks of its recursion.

It is part of GDL that no relation depends on its own negation (Love, Hinrichs, Haley, Schkufza & Genesereth 2008).
"""

from collections import deque
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TypeVar

from gdl_miner.agent.gdl.finding import Finding, error, warning
from gdl_miner.agent.gdl.formula import Atom, atoms
from gdl_miner.agent.gdl.rules import Rule, RuleSheet
from gdl_miner.agent.gdl.syntax import Compound, Term, Variable


def apart(term: Term) -> Term:
    """Rename the variables of a head so that it shares none with a condition.

    The new names contain a blank, which occurs in no name of a sheet.
    """
    if isinstance(term, Variable):
        return Variable(f"?head {term.name[1:]}")
    if isinstance(term, Compound):
        return Compound(term.name, tuple(map(apart, term.args)))
    return term


def unify(pairs: list[tuple[Term, Term]]) -> dict[Variable, Term] | None:
    """Return a most general unifier of pairs of terms, None if there is none (Robinson 1965), with the occurs check.

    Each variable is bound to a term in which other variables may be bound in turn. The list of pairs is used up.
    """
    unifier: dict[Variable, Term] = {}
    while pairs:
        left, right = (_resolved(term, unifier) for term in pairs.pop())
        if left == right:
            continue
        if isinstance(left, Variable):
            if _occurs(left, right, unifier):
                return None
            unifier[left] = right
        elif isinstance(right, Variable):
            pairs.append((right, left))
        elif isinstance(left, Compound) and isinstance(right, Compound) and _shape(left) == _shape(right):
            pairs.extend(zip(left.args, right.args, strict=True))
        else:
            return None
    return unifier


def _resolved(term: Term, unifier: dict[Variable, Term]) -> Term:
    while isinstance(term, Variable) and term in unifier:
        term = unifier[term]
    return term


def _shape(term: Compound) -> tuple[str, int]:
    return term.name, len(term.args)


def _occurs(variable: Variable, term: Term, unifier: dict[Variable, Term]) -> bool:
    term = _resolved(term, unifier)
    return term == variable or (
        isinstance(term, Compound) and any(_occurs(variable, arg, unifier) for arg in term.args)
    )


Node = TypeVar("Node", bound=Hashable)

Vertex = tuple[str, int]
"""A relation by name and arity, or one of its rules by name and number."""


@dataclass(frozen=True, slots=True)
class Dependency:
    """The dependency of a head on a relation, or of a rule on a rule, through one condition."""

    head: Vertex
    uses: Vertex
    positive: bool
    atom: Atom

    def __str__(self) -> str:
        return self.uses[0] if self.positive else f"not {self.uses[0]}"


def relation_dependencies(rules: Iterable[Rule]) -> "Dependencies":
    """Build the graph of relations: a head depends on the relation of every condition."""
    return Dependencies(
        Dependency(rule.predicate, atom.predicate, sign, atom) for rule in rules for atom, sign in atoms(rule.body)
    )


def rule_dependencies(rules: Sequence[Rule]) -> "Dependencies":
    """Build the graph of rules: a rule depends on the rules whose heads unify with one of its conditions."""
    heads: dict[Vertex, dict[Term, list[Vertex]]] = {}
    for number, rule in enumerate(rules):
        heads.setdefault(rule.predicate, {}).setdefault(rule.head, []).append((rule.head.name, number))
    unifiable = cache(_unifiable)
    return Dependencies(
        Dependency((rule.head.name, number), node, sign, atom)
        for number, rule in enumerate(rules)
        for atom, sign in atoms(rule.body)
        for head, nodes in heads.get(atom.predicate, {}).items()
        if unifiable(atom.term, head)
        for node in nodes
    )


def _unifiable(condition: Term, head: Term) -> bool:
    return unify([(condition, apart(head))]) is not None


class Dependencies:
    """A graph of dependencies; its nodes are in the order in which they first occur as heads."""

    def __init__(self, edges: Iterable[Dependency]) -> None:
        self.edges: dict[Vertex, list[Dependency]] = {}
        for edge in edges:
            self.edges.setdefault(edge.head, []).append(edge)

    def path(self, start: Vertex, goal: Vertex) -> list[Dependency]:
        """Return a shortest path of at least one edge from one node to another, an empty list if there is none."""
        came: dict[Vertex, Dependency] = {}
        queue = deque([start])
        while queue and goal not in came:
            for edge in self.edges.get(queue.popleft(), ()):
                if edge.uses not in came:
                    came[edge.uses] = edge
                    queue.append(edge.uses)
        if goal not in came:
            return []
        way = [came[goal]]
        while way[-1].head != start:
            way.append(came[way[-1].head])
        return way[::-1]

    def recursive(self, edge: Dependency) -> bool:
        """Return whether the node that an edge leads to depends on the edge's head again."""
        return self.components[edge.head] == self.components[edge.uses]

    @cached_property
    def components(self) -> dict[Vertex, int]:
        """Number of the strongly connected component of each node; it is larger than those it depends on."""
        return strong_components({head: [edge.uses for edge in edges] for head, edges in self.edges.items()})


def strong_components(uses: Mapping[Node, Sequence[Node]]) -> dict[Node, int]:
    """Return the number of the strongly connected component of each node (Tarjan 1972), found without recursion.

    A component has a larger number than those that its nodes use.
    """
    order: dict[Node, int] = {}
    low: dict[Node, int] = {}
    component: dict[Node, int] = {}
    waiting: list[Node] = []
    for root in uses:
        stack = [(root, 0)] if root not in order else []
        while stack:
            node, position = stack.pop()
            if position == 0:
                order[node] = low[node] = len(order)
                waiting.append(node)
            used = uses.get(node, ())
            if position and used[position - 1] not in component:
                low[node] = min(low[node], low[used[position - 1]])
            while position < len(used) and used[position] in order:
                if used[position] not in component:
                    low[node] = min(low[node], order[used[position]])
                position += 1
            if position < len(used):
                stack += [(node, position + 1), (used[position], 0)]
            elif low[node] == order[node]:
                number = len(component)
                while node not in component:
                    component[waiting.pop()] = number
    return component


def negative_cycles(sheet: RuleSheet, dependencies: Dependencies) -> Iterator[Finding]:
    """Find relations that depend on their own negation, one finding for each strongly connected component.

    The finding is a warning if no single rule depends on its own negation, because the rules treat different arguments:
    then the relation is still well defined. Otherwise it is an error.
    """
    members: dict[int | None, list[Rule]] = {}
    for rule in sheet.rules:
        members.setdefault(dependencies.components.get(rule.predicate), []).append(rule)
    for component, edge in _negative_knots(dependencies).items():
        finer = rule_dependencies(members[component])
        knots = _negative_knots(finer)
        if knots:
            worst = next(iter(knots.values()))
            yield error(
                worst.atom.position,
                f"negation through recursion: {_cycle(finer, worst)}",
                "a relation must not depend on its own negation, so break this cycle",
            )
        else:
            yield warning(
                edge.atom.position,
                f"negation through recursion, though for other arguments: {_cycle(dependencies, edge)}",
                "name the condition by a relation of its own",
            )


def _negative_knots(dependencies: Dependencies) -> dict[int, Dependency]:
    """Return the first negated recursive condition of each strongly connected component that has one."""
    knots: dict[int, Dependency] = {}
    for head, edges in dependencies.edges.items():
        for edge in edges:
            if not edge.positive and dependencies.recursive(edge):
                knots.setdefault(dependencies.components[head], edge)
    return knots


def _cycle(dependencies: Dependencies, edge: Dependency) -> str:
    back = [] if edge.uses == edge.head else dependencies.path(edge.uses, edge.head)
    return " -> ".join(map(str, (edge.head[0], edge, *back)))


MEANING = ("role", "init", "next", "legal", "goal", "terminal")
"""The relations that a match asks for."""


def relevant_rules(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules on which matches depend: without `base`, `input` and relations that nothing asks for."""
    needed = needed_relations(rules, MEANING)
    return [rule for rule in rules if rule.predicate in needed]


def needed_relations(rules: Iterable[Rule], names: Container[str]) -> set[Vertex]:
    """Return the relations with these names that rules give, and all relations on which they depend."""
    uses: dict[Vertex, set[Vertex]] = {}
    for rule in rules:
        uses.setdefault(rule.predicate, set()).update(atom.predicate for atom, _ in atoms(rule.body))
    pending = [relation for relation in uses if relation[0] in names]
    needed = set(pending)
    while pending:
        for use in uses.get(pending.pop(), ()):
            if use not in needed:
                needed.add(use)
                pending.append(use)
    return needed
