#include "search/ucb1.hpp"

#include <algorithm>
#include <cmath>

namespace gdl {

std::uint32_t Ucb1Selection::choose(const Node& node, const Edges& edges, int role, Flight& flight) {
  const MoveRange moves(edges, role, node.visits);
  const std::uint32_t unvisited = kernels_.count_unvisited(moves.visits, moves.count);
  if (unvisited > 1) return moves.first + first_visit_->draw(flight, moves, unvisited);
  if (unvisited == 1) {
    flight.draws.below(1);  // a draw, so that the stream does not depend on the policy for first visits
    return moves.first + kernels_.nth_unvisited(moves.visits, moves.count, 0);
  }
  if (moves.proven == nullptr) {
    return moves.first +
           kernels_.best_ucb1(moves.visits, moves.sums, moves.count, log_of_visits(moves.node_visits), c_);
  }
  auto& values = memory_.values;
  if (values.size() < moves.count) values.resize(moves.count);
  find_ucb1_values(moves, c_, values.data());
  replace_proven(moves, values.data());
  const auto best = std::max_element(values.begin(), values.begin() + moves.count);
  return moves.first + static_cast<std::uint32_t>(best - values.begin());
}

// Division and square root are rounded alike everywhere, so vectors of any width give the same bits.
void find_ucb1_values(const MoveRange& moves, double c, double* values) {
  const double log = log_of_visits(moves.node_visits);
  for (std::uint32_t i = 0; i < moves.count; ++i) {
    const double n_i = moves.visits[i];
    values[i] = moves.sums[i] / n_i + c * std::sqrt(log / n_i);
  }
}

}  // namespace gdl
