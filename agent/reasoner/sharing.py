"""Common sub-conjunctions: a pair of literals that many gates ask for becomes a gate of its own.

Greedy, the most frequent pair first (as in the extraction of common cubes, Brayton & McMullen 1982).
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from itertools import combinations

from agent.reasoner.nodes import Nodes

MIN_READERS = 4  # fewer readers save no more literals than the new gate costs
_LARGEST_GATE = 32  # pairs of larger gates are not counted

Pair = tuple[int, int]  # ascending literals


def share(nodes: Nodes, gates: Iterable[int]) -> None:
    """Rewrite gates in place so that frequent pairs of literals are computed once."""
    _Sharing(nodes, gates).run()


class _Sharing:
    def __init__(self, nodes: Nodes, gates: Iterable[int]) -> None:
        self._nodes = nodes
        self._literals = {node: set(nodes.gates[node] or ()) for node in gates}
        readers: dict[Pair, set[int]] = {}
        for node, literals in self._literals.items():
            if len(literals) <= _LARGEST_GATE:
                for pair in combinations(sorted(literals), 2):
                    readers.setdefault(pair, set()).add(node)
        self._readers = {pair: nodes for pair, nodes in readers.items() if len(nodes) >= MIN_READERS}
        self._queue = [(-len(nodes), pair) for pair, nodes in self._readers.items()]

    def run(self) -> None:
        """Take out pairs until none is frequent enough."""
        heapify(self._queue)
        while self._queue:
            count, pair = heappop(self._queue)
            readers = self._readers.get(pair, set())
            if len(readers) == -count:
                self._take_out(pair)
            elif len(readers) >= MIN_READERS:
                heappush(self._queue, (-len(readers), pair))
        for node, literals in self._literals.items():
            self._nodes.gates[node] = tuple(sorted(literals))

    def _take_out(self, pair: Pair) -> None:
        shared = self._nodes.conjunction(pair)
        readers = self._readers.pop(pair)
        readers.discard(shared >> 1)
        if not readers or shared >> 1 <= self._nodes.n_fluents:
            return
        self._literals.setdefault(shared >> 1, set(pair))
        found: dict[Pair, set[int]] = {}
        for node in sorted(readers):
            literals = self._literals[node]
            literals.difference_update(pair)
            for other in literals:
                for gone in pair:
                    self._readers.get(_pair(other, gone), set()).discard(node)
                found.setdefault(_pair(other, shared), set()).add(node)
            literals.add(shared)
        for new, nodes in sorted(found.items()):
            together = self._readers.get(new, set()) | nodes
            if len(together) >= MIN_READERS:
                self._readers[new] = together
                heappush(self._queue, (-len(together), new))


def _pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)
