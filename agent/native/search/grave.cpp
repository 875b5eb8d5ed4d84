#include "search/grave.hpp"

#include <algorithm>

namespace gdl {

GraveSelection::GraveSelection(const SelectionParameters& parameters, const Exploration& exploration, Amaf& amaf,
                               const SelectionKernels& kernels, SearchMemory& memory)
    : c_(parameters.uct_c),
      growth_(parameters.uct_growth),
      equivalence_(parameters.grave_equivalence),
      informed_(parameters.informed),
      widening_(parameters),
      exploration_(exploration),
      amaf_(amaf),
      kernels_(kernels),
      memory_(memory) {}

std::uint32_t GraveSelection::choose(const Node& node, const Edges& edges, int role, Flight& flight) {
  MoveRange moves(edges, role, node);
  const bool informed = node.ranked && informed_[static_cast<std::size_t>(role)];
  if (informed) moves.count = widening_.width(moves.count, node.visits);
  if (memory_.values.size() < moves.count) memory_.values.resize(moves.count);
  double* values = memory_.values.data();
  const AmafTable& table = amaf_.reference(flight);
  const AmafMoves made{moves.visits, moves.sums, moves.rows, table.visits.data(), table.sums.data()};
  const double unknown = informed ? mean_payoff(moves) : 100;
  kernels_.blend_amaf(made, moves.count, equivalence_, unknown, values);
  if (informed) {
    exploration_.add(moves, values);
  } else {
    kernels_.add_ucb1_term(moves.visits, moves.count, growth_of(growth_, std::max(node.visits, 1u)), c_, values);
  }
  replace_proven(moves, values);
  const double best = *std::max_element(values, values + moves.count);
  const auto unvisited = [&](std::uint32_t place) { return moves.visits[place] == 0 && values[place] == best; };
  std::uint64_t alike = 0;
  for (std::uint32_t place = 0; place < moves.count; ++place) alike += unvisited(place);
  std::uint64_t skip = alike == 0 ? 0 : flight.draws.below(alike);
  std::uint32_t place = 0;
  while (alike == 0 ? values[place] != best : (!unvisited(place) || skip-- > 0)) ++place;
  return moves.first + place;
}

}  // namespace gdl
