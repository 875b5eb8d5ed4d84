// Strongly connected components without recursion (Tarjan 1972).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace gdl {

// Calls take(component) for the strongly connected components reachable from `roots`, each after all components that it
// leads to. The vertices of a component come in the order in which a depth-first walk leaves them. Vertices are below
// `n_vertices`; degree(v) and successor(v, i) describe the edges. Roots and successors are visited in the given order.
template <class Degree, class Successor, class Take>
void for_each_component(std::uint32_t n_vertices, std::span<const std::uint32_t> roots, Degree degree,
                        Successor successor, Take take) {
  constexpr std::uint32_t CLOSED = std::numeric_limits<std::uint32_t>::max();
  struct Visit {
    std::uint32_t vertex;
    std::uint32_t edge;
  };
  std::vector<std::uint32_t> index(n_vertices, 0);  // 0: not visited
  std::vector<std::uint32_t> low(n_vertices, 0);    // CLOSED once the vertex's component is complete
  std::vector<std::uint32_t> left;                  // vertices the walk has left, whose component is still open
  std::vector<Visit> walk;
  std::uint32_t visited = 0;
  const auto enter = [&](std::uint32_t vertex) {
    index[vertex] = low[vertex] = ++visited;
    walk.push_back({vertex, 0});
  };
  for (const std::uint32_t root : roots) {
    if (index[root] == 0) enter(root);
    while (!walk.empty()) {
      const std::uint32_t vertex = walk.back().vertex;
      if (walk.back().edge < degree(vertex)) {
        const std::uint32_t next = successor(vertex, walk.back().edge++);
        if (index[next] == 0) {
          enter(next);
        } else if (low[next] != CLOSED && index[next] < low[vertex]) {
          low[vertex] = index[next];
        }
        continue;
      }
      walk.pop_back();
      if (!walk.empty() && low[vertex] < low[walk.back().vertex]) low[walk.back().vertex] = low[vertex];
      left.push_back(vertex);
      if (low[vertex] != index[vertex]) continue;
      std::size_t first = left.size() - 1;
      while (first > 0 && index[left[first - 1]] > index[vertex]) --first;
      const std::span<const std::uint32_t> component = std::span(left).subspan(first);
      for (const std::uint32_t member : component) low[member] = CLOSED;
      take(component);
      left.resize(first);
    }
  }
}

}  // namespace gdl
