// What an informed role adds to the mean payoffs of its moves: how much each is tried beyond what it has brought so
// far.
#pragma once

#include <cstdint>

#include "search/move_range.hpp"
#include "search/selection_kernels.hpp"

namespace gdl {

// The moves are sorted by their priors, the largest first; knowledge gives them. A move whose goal is proven has that
// value, with nothing added.
class Exploration {
 public:
  virtual ~Exploration() = default;

  // What the statistics of the moves say of the next choice among them.
  virtual Survey survey(const MoveRange& moves) const;

  // What is added to the mean payoff of a move never visited.
  virtual double first_bonus(const MoveRange& moves, std::uint32_t place) const = 0;

  // Adds to values [count] as if every move had been visited once more.
  virtual void add(const MoveRange& moves, double* values) const = 0;

 protected:
  // The best of the moves that were visited; those up to the last of them are given.
  virtual BestMove best(const MoveRange& moves) const = 0;
};

// The first of the largest values [count]. What is no number is never the larger.
BestMove best_of(const double* values, std::uint32_t count);

}  // namespace gdl
