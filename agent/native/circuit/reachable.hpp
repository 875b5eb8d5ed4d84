// The vertices of a graph to which some others lead.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gdl {

// [vertex] whether a path leads there from the roots, which count as reached. `for_each_successor(v, visit)` calls
// visit() for the successors of v. Vertices are below `n_vertices`.
template <class ForEachSuccessor>
std::vector<std::uint8_t> reachable(std::size_t n_vertices, std::span<const std::uint32_t> roots,
                                    ForEachSuccessor for_each_successor) {
  std::vector<std::uint8_t> reached(n_vertices, 0);
  std::vector<std::uint32_t> open;
  const auto visit = [&](std::uint32_t vertex) {
    if (std::exchange(reached[vertex], std::uint8_t{1}) == 0) open.push_back(vertex);
  };
  for (const std::uint32_t root : roots) visit(root);
  while (!open.empty()) {
    const std::uint32_t vertex = open.back();
    open.pop_back();
    for_each_successor(vertex, visit);
  }
  return reached;
}

}  // namespace gdl
