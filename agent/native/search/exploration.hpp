// The exploration term of informed roles, which is added to the mean payoffs of their moves.
#pragma once

#include <cstdint>

#include "search/move_range.hpp"
#include "search/selection_kernels.hpp"

namespace gdl {

// Knowledge gives the moves priors, and they are sorted by these, the largest first. The value of a move whose goal is
// proven is that goal, with nothing added.
class Exploration {
 public:
  virtual ~Exploration() = default;

  // Surveys the statistics of the moves for the next choice among them.
  virtual Survey survey(const MoveRange& moves) const;

  // The term that is added to the mean payoff of a move never visited.
  virtual double first_bonus(const MoveRange& moves, std::uint32_t place) const = 0;

 protected:
  // The best of the moves that were visited. `moves` ends with the last move visited.
  virtual BestMove best(const MoveRange& moves) const = 0;
};

// The first of the largest values [count]; a NaN is never the largest.
BestMove best_of(const double* values, std::uint32_t count);

}  // namespace gdl
