// Proven goals in the tree (MCTS-Solver: Winands, Björnsson & Saito 2008; any number of roles and goals).
#pragma once

#include <cstdint>
#include <vector>

#include "circuit/circuit.hpp"
#include "search/tree.hpp"

namespace gdl {

// A node is solved where the role that chooses has a move proven to bring its largest goal, or where all its moves are
// proven: then it takes the one that brings it most, the first proven among equals. Where several roles choose at once,
// nothing is proven.
class Proof {
 public:
  explicit Proof(const Circuit& circuit);

  // `edge` of the chooser at a node leads to a state of these goals. True where the node is solved then;
  // tree.goals(id) are its own.
  bool prove(Tree& tree, NodeId id, std::uint32_t edge, const std::int32_t* goals) const;

  // Of a move at a node: 1 where it is proven that no other brings its role more, -1 where it is proven to bring the
  // least and others may bring more, else 0.
  int verdict(const Tree& tree, NodeId id, int role, std::uint32_t edge) const;

 private:
  std::vector<std::int32_t> most_;   // [role] largest goal the rules name
  std::vector<std::int32_t> least_;  // [role] smallest goal the rules name
};

}  // namespace gdl
