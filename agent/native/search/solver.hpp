// Goals proven in the tree (MCTS-Solver: Winands, Björnsson & Saito, "Monte-Carlo tree search solver", 2008; here for
// any number of roles and goals).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "search/flight.hpp"
#include "search/tree.hpp"

namespace gdl {

// A node is solved where the role that chooses has a move proven to bring its largest goal, or where all its moves are
// proven: then it takes the one that brings it most, the first proven among equals. Where several roles choose at once,
// nothing is proven.
class Solver {
 public:
  explicit Solver(const Circuit& circuit);

  // Backs up the goals of `at`, a terminal or solved node that `path` leads to, as far as they solve nodes.
  void back_up(Tree& tree, std::span<const PathStep> path, NodeId at) const;

  // Of a move at a node: 1 where it is proven that no other brings its role more, -1 where it is proven to bring the
  // least and others may bring more, else 0.
  int verdict(const Tree& tree, NodeId id, int role, std::uint32_t edge) const;

 private:
  // `edge` of the chooser at a node leads to a state of these goals. Returns whether the node is solved now.
  bool prove(Tree& tree, NodeId id, std::uint32_t edge, const std::int32_t* goals) const;

  std::vector<std::int32_t> most_;   // [role] largest goal the rules name
  std::vector<std::int32_t> least_;  // [role] smallest goal the rules name
};

}  // namespace gdl
