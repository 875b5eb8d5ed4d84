// The result of a search: the statistics of the moves at the root, the best move, and the line of best moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/solver.hpp"
#include "search/tree.hpp"

namespace gdl {

struct RootMove {
  std::int32_t row;
  std::uint32_t visits;  // playouts that chose the move, including those of earlier searches, and its experience
  std::uint32_t payoff;  // sum of the goals of the role over these playouts
  int verdict;           // 1: proven best, -1: proven worst, 0: neither
};

// A view of the tree. The tree and the solver must outlive it.
class RootResult {
 public:
  RootResult(const Tree& tree, const Solver& solver, NodeId root) : tree_(tree), solver_(solver), root_(root) {}

  // The legal moves of a role at the root, in order of their rows.
  std::vector<RootMove> moves(int role) const;

  // A move proven best, or else the most visited move that is not proven worst; among equals the one with the larger
  // mean payoff, then the one with the lowest row.
  std::int32_t best_row(int role) const { return tree_.edges(root_).rows[best_edge(root_, role)]; }

  // Whether several roles choose at the root, chance aside.
  bool several_choose(int chance_role) const;

  // A move drawn in proportion to its visits among those with at least `share` of the visits of the most visited move,
  // in order of their rows. `best_row` where `share` is 1, or nothing was visited.
  std::int32_t drawn_row(int role, double share, std::uint64_t seed) const;

  // The joint moves [moves, n_roles] that are best after the move `first` of a role, as far as the tree goes; at most
  // `longest`.
  std::vector<std::int32_t> principal_line(int role, std::int32_t first, std::size_t longest) const;

  // Whether the goals of the root are proven, so that a search can find nothing more.
  bool solved() const { return tree_.node(root_).kind == NodeKind::Solved; }

 private:
  std::uint32_t best_edge(NodeId id, int role) const;

  const Tree& tree_;
  const Solver& solver_;
  NodeId root_;
};

}  // namespace gdl
