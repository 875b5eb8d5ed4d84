"""The dependencies between the relations, or the rules, of a rule sheet and the conditions that cause them."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from gdl_miner.agent.gdl.formula import Atom, atoms
from gdl_miner.agent.gdl.rules import Rule
from gdl_miner.agent.gdl.syntax import Compound, Symbol, Term
from gdl_miner.agent.gdl.unification import apart, unify

__all__ = ["Dependencies", "Dependency", "Vertex", "relation_dependencies", "rule_dependencies"]

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
    heads: dict[Vertex, list[tuple[Vertex, Symbol | Compound]]] = {}
    for number, rule in enumerate(rules):
        heads.setdefault(rule.predicate, []).append(((rule.head.name, number), rule.head))
    return Dependencies(
        Dependency((rule.head.name, number), node, sign, atom)
        for number, rule in enumerate(rules)
        for atom, sign in atoms(rule.body)
        for node, head in heads.get(atom.predicate, ())
        if _unifiable(atom.term, head)
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
        """Number of the strongly connected component of each node (Tarjan 1972), found without recursion."""
        order: dict[Vertex, int] = {}
        low: dict[Vertex, int] = {}
        component: dict[Vertex, int] = {}
        waiting: list[Vertex] = []
        for root in self.edges:
            stack = [(root, 0)] if root not in order else []
            while stack:
                node, position = stack.pop()
                if position == 0:
                    order[node] = low[node] = len(order)
                    waiting.append(node)
                edges = self.edges.get(node, [])
                if position and edges[position - 1].uses not in component:
                    low[node] = min(low[node], low[edges[position - 1].uses])
                while position < len(edges) and edges[position].uses in order:
                    if edges[position].uses not in component:
                        low[node] = min(low[node], order[edges[position].uses])
                    position += 1
                if position < len(edges):
                    stack += [(node, position + 1), (edges[position].uses, 0)]
                elif low[node] == order[node]:
                    number = len(component)
                    while node not in component:
                        component[waiting.pop()] = number
        return component
