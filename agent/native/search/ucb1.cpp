#include "search/ucb1.hpp"

#include <cmath>

#include "search/exploration.hpp"

namespace gdl {

// A move never visited counts as visited once, with the mean payoff of the role at the node and the urgency as its
// payoff (first-play urgency: Gelly & Wang 2006). It comes next if no other value is larger.
std::uint32_t Ucb1Selection::choose(const Node& node, const Edges& edges, int role, Flight& flight) {
  const MoveRange moves(edges, role, node);
  const std::uint32_t unvisited = kernels_.count_unvisited(moves.visits, moves.count);
  const double growth = growth_of(parameters_.uct_growth, moves.node_visits);
  const auto first_value = [&] {
    return mean_payoff(moves) + parameters_.first_play_urgency + parameters_.uct_c * std::sqrt(growth);
  };
  const bool all_first = parameters_.first_play_urgency == 100;  // no value is larger
  if (unvisited > 0 && (all_first || best_visited(moves).value <= first_value())) {
    const auto drawn = static_cast<std::uint32_t>(flight.draws.below(unvisited));
    return moves.first + kernels_.nth_unvisited(moves.visits, moves.count, drawn);
  }
  if (unvisited > 0 || moves.proven != nullptr) return moves.first + best_visited(moves).place;
  return moves.first + kernels_.best_ucb1(moves.visits, moves.sums, moves.count, growth, parameters_.uct_c);
}

BestMove Ucb1Selection::best_visited(const MoveRange& moves) {
  auto& values = memory_.values;
  if (values.size() < moves.count) values.resize(moves.count);
  find_ucb1_values(moves, parameters_.uct_c, parameters_.uct_growth, values.data());
  replace_proven(moves, values.data());
  return best_of(values.data(), moves.count);
}

// Division and square root are rounded alike everywhere, so vectors of any width give the same bits.
void find_ucb1_values(const MoveRange& moves, double c, UctGrowth kind, double* values) {
  const double growth = growth_of(kind, moves.node_visits);
  for (std::uint32_t i = 0; i < moves.count; ++i) {
    const double n_i = moves.visits[i];
    values[i] = moves.sums[i] / n_i + c * std::sqrt(growth / n_i);
  }
}

}  // namespace gdl
