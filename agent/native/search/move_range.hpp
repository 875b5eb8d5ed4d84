// The moves of a role at a node, which selection policies compare, and functions of them that all policies need.
#pragma once

#include <cstdint>

#include "search/player_spec.hpp"
#include "search/tree.hpp"

namespace gdl {

struct MoveRange {
  // All moves of a role at a node.
  MoveRange(const Edges& edges, int role, const Node& node)
      : first(edges.role_start[role]),
        count(edges.role_start[role + 1] - first),
        node_visits(node.visits),
        most_visits(node.valued ? UINT32_MAX : node.visits),
        visits(edges.visits + first),
        sums(edges.sums + first),
        priors(edges.priors + first),
        proven(edges.proven == nullptr ? nullptr : edges.proven + first) {}

  std::uint32_t first;  // edge
  std::uint32_t count;
  std::uint32_t node_visits;
  std::uint32_t most_visits;    // at least the visits of all moves together, in which values of moves count, too
  const std::uint32_t* visits;  // [count]
  const std::uint32_t* sums;    // [count] payoffs
  const float* priors;          // [count] valid where knowledge has ranked the moves
  const std::int8_t* proven;    // [count] goal, -1 where it is not proven; nullptr where no move of the node is proven
};

// The growth of the exploration term of UCB1, c sqrt(growth / visits of the move), with the visits of the node, at
// least 1: their logarithm, or a multiple of their root that is as large at 1000 visits.
double growth_of(UctGrowth kind, std::uint32_t visits);

// Mean payoff of the moves that were visited, 0 where none was.
double mean_payoff(const MoveRange& moves);

// Sets the values [count] of moves whose goals are proven to these goals.
void replace_proven(const MoveRange& moves, double* values);

}  // namespace gdl
