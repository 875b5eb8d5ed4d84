#include "search/exploration.hpp"

#include <limits>

namespace gdl {

// The moves visited are mostly the first ones. The sum of their visits says where they end.
Survey Exploration::survey(const MoveRange& moves) const {
  MoveRange visited = moves;
  visited.count = 0;
  std::uint32_t unvisited = moves.count;
  for (std::uint32_t left = moves.most_visits; left > 0 && visited.count < moves.count; ++visited.count) {
    left -= moves.visits[visited.count];
    if (moves.visits[visited.count] == 0 && unvisited == moves.count) unvisited = visited.count;
  }
  if (unvisited == moves.count) unvisited = visited.count;
  const BestMove best = visited.count > 0 ? this->best(visited) : best_of(nullptr, 0);
  return {best, unvisited, unvisited == moves.count ? 0 : mean_payoff(visited)};
}

BestMove best_of(const double* values, std::uint32_t count) {
  BestMove best{0, -std::numeric_limits<double>::infinity()};
  for (std::uint32_t i = 0; i < count; ++i) {
    if (values[i] > best.value) best = {i, values[i]};
  }
  return best;
}

}  // namespace gdl
