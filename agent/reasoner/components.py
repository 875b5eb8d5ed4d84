"""Strongly connected components without recursion (Tarjan 1972)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator


def components(roots: Iterable[int], successors: Callable[[int], Iterable[int]]) -> Iterator[list[int]]:
    """Yield the strongly connected components reachable from the roots, each after all components that it leads to.

    The vertices of a component come in the order in which a depth-first walk leaves them. Roots and successors are
    visited in the given order, so the result is deterministic.
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    left: list[int] = []  # vertices that the walk has left and whose component is not complete yet
    open_vertices: set[int] = set()
    for root in roots:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        open_vertices.add(root)
        walk = [(root, iter(successors(root)))]
        while walk:
            vertex, rest = walk[-1]
            for successor in rest:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    open_vertices.add(successor)
                    walk.append((successor, iter(successors(successor))))
                    break
                if successor in open_vertices and index[successor] < low[vertex]:
                    low[vertex] = index[successor]
            else:
                walk.pop()
                if walk and low[vertex] < low[walk[-1][0]]:
                    low[walk[-1][0]] = low[vertex]
                left.append(vertex)
                if low[vertex] == index[vertex]:
                    first = len(left) - 1
                    while first and index[left[first - 1]] > index[vertex]:
                        first -= 1
                    component = left[first:]
                    del left[first:]
                    open_vertices.difference_update(component)
                    yield component
