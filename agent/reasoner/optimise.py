"""Smaller circuits with the same roots: folding, absorption, inlining, factoring and sharing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain

from agent.reasoner.circuit import FALSE
from agent.reasoner.nodes import Gate, Nodes, Roots
from agent.reasoner.sharing import share

_PASSES = 8
_WORTHWHILE = 0.98  # a pass that shrinks the circuit less is the last
_SMALL = 24  # gates with more literals are not looked into


def optimise(nodes: Nodes, roots: Roots, tick: Callable[[], None] = lambda: None) -> tuple[Nodes, Roots]:
    """Return equivalent nodes and roots with fewer gates and literals. `tick` is called now and then and may raise."""
    size = _size(nodes, roots)
    for _ in range(_PASSES):
        tick()
        nodes, roots = _Rebuilding(nodes, roots).run()
        before, size = size, _size(nodes, roots)
        if size >= before * _WORTHWHILE:
            break
    share(nodes, needed_gates(nodes, roots))
    return nodes, roots


def needed_gates(nodes: Nodes, roots: Roots) -> list[int]:
    """Return the gates that roots need in order of creation: inputs first, placeholders aside."""
    gates = nodes.gates
    pending = [literal >> 1 for literal in roots.literals()]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        gate = gates[node]
        if gate is not None and node not in seen:
            seen.add(node)
            pending.extend(literal >> 1 for literal in gate)
    return sorted(seen)


def _size(nodes: Nodes, roots: Roots) -> int:
    gates = needed_gates(nodes, roots)
    return sum(len(nodes.gates[node] or ()) for node in gates) + len(gates)


class _Rebuilding:
    """One pass: copies the gates that roots need into new nodes, simplifying each on the way."""

    def __init__(self, nodes: Nodes, roots: Roots) -> None:
        self._old, self._roots = nodes, roots
        self._order = needed_gates(nodes, roots)
        self._uses = Counter(literal >> 1 for node in self._order for literal in nodes.gates[node] or ())
        self._uses.update(literal >> 1 for literal in roots.literals())
        for literal in roots.literals():
            self._uses[literal >> 1] += 1  # a root is never inlined
        self._new = Nodes(nodes.n_fluents, (moves.bit_count() for moves in nodes.all_moves))
        self._map: dict[int, int] = {node: 2 * node for node in range(1 + nodes.n_fluents)}  # old node -> new literal
        self._single: set[int] = set()  # new gates with one reader

    def run(self) -> tuple[Nodes, Roots]:
        """Return the new nodes and roots."""
        old, new = self._old, self._new
        for node, (role, moves) in old.sets.items():
            if self._uses[node]:
                self._map[node] = new.move_set(role, moves)
        cyclic = [node for node in self._order if node in old.placeholders]
        for node in cyclic:
            self._map[node] = 2 * new.placeholder(old.placeholders[node])
        for node in self._order:
            if node not in old.placeholders:
                literal = self._map[node] = self._conjunction(self._inputs(node))
                if self._uses[node] == 1 and not literal & 1:
                    self._single.add(literal >> 1)
                else:
                    self._single.discard(literal >> 1)
        for node in cyclic:
            new.define(self._map[node] >> 1, self._conjunction(self._inputs(node)))
        return new, self._roots.mapped(self._literal)

    def _literal(self, literal: int) -> int:
        return self._map[literal >> 1] ^ (literal & 1)

    def _inputs(self, node: int) -> list[int]:
        return [self._literal(literal) for literal in self._old.gates[node] or ()]

    def _gate(self, literal: int) -> Gate:
        """Return the literals of a gate that may be looked into, else nothing."""
        gate = self._new.gates[literal >> 1]
        return gate if gate and len(gate) <= _SMALL and literal >> 1 not in self._new.placeholders else ()

    def _conjunction(self, literals: Iterable[int]) -> int:
        flat = set(chain.from_iterable(map(self._flattened, literals)))
        inner_gates = [(literal, gate) for literal in sorted(flat) if (gate := self._gate(literal))]
        if not inner_gates:
            return self._new.conjunction(flat)
        for literal, gate in inner_gates:
            if literal in flat:
                for inner in gate:
                    if literal & 1:
                        if inner ^ 1 in flat:  # a and (a or b) = a
                            flat.discard(literal)
                            break
                    elif inner ^ 1 in flat:
                        return FALSE
                    else:
                        flat.discard(inner)  # the inner gate asks for it too
        for literal, gate in inner_gates:
            if literal & 1 and literal in flat and not flat.isdisjoint(gate):
                rest = [inner for inner in gate if inner not in flat]
                if not rest:
                    return FALSE
                if len(rest) == 1 or literal >> 1 in self._single:
                    flat.discard(literal)  # a and not (a and b) = a and not b
                    flat.add(self._new.conjunction(rest) ^ 1)
        return self._factored(flat)

    def _flattened(self, literal: int) -> Gate:
        inner = self._gate(literal)
        return inner if inner and not literal & 1 and literal >> 1 in self._single else (literal,)

    def _factored(self, literals: set[int]) -> int:
        """Take out the literal that most alternatives share, while that saves literals."""
        literals = set(literals)
        while True:
            alternatives = [x for x in sorted(literals) if x & 1 and x >> 1 in self._single and self._gate(x)]
            if len(alternatives) < 2:
                break
            shared = Counter(inner for x in alternatives for inner in self._gate(x))
            most = max(shared.values())
            if most < 2:
                break
            literal = min(inner for inner, count in shared.items() if count == most)
            parts = [x for x in alternatives if literal in self._gate(x)]
            pairs = sum(len(self._gate(x)) == 2 for x in parts)
            if len(parts) + 2 * pairs < 6:
                break
            rests = [self._new.conjunction(inner for inner in self._gate(x) if inner != literal) for x in parts]
            self._single.update(rest >> 1 for rest in rests if not rest & 1)
            either = self._new.conjunction(rest ^ 1 for rest in rests)
            literals.difference_update(parts)
            literals.add(self._new.conjunction((literal, either ^ 1)) ^ 1)
        return self._new.conjunction(literals)
