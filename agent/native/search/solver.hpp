// Goals proven in the tree (MCTS-Solver: Winands, Björnsson & Saito 2008), for any number of roles and goals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "search/flight.hpp"
#include "search/tree.hpp"

namespace gdl {

// A node is solved when a move of the role that chooses is proven to bring the largest goal, or when all its moves are
// proven; the role then takes the move with the largest goal, the first proven among equals. Nothing is proven where
// several roles choose at once.
class Solver {
 public:
  explicit Solver(const Circuit& circuit);

  // Backs up the goals of `at`, a terminal or solved node at the end of `path`, as far as they solve nodes.
  void back_up(Tree& tree, std::span<const PathStep> path, NodeId at) const;

  // Records that `edge` of the chooser at a node leads to these goals. Returns whether the node is solved now.
  bool prove(Tree& tree, NodeId id, std::uint32_t edge, const std::int32_t* goals) const;

  // The verdict on a move at a node: 1 where it is proven that no other move brings its role more, -1 where the move is
  // proven to bring the least and others may bring more, else 0.
  int verdict(const Tree& tree, NodeId id, int role, std::uint32_t edge) const;

 private:
  std::vector<std::int32_t> most_;   // [role] largest goal that the rules name
  std::vector<std::int32_t> least_;  // [role] smallest goal that the rules name
};

}  // namespace gdl
