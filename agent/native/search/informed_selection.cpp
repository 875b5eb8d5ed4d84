#include "search/informed_selection.hpp"

#include <utility>

namespace gdl {

InformedSelection::InformedSelection(const SelectionParameters& parameters, const Exploration& exploration,
                                     std::unique_ptr<Ucb1Selection> without_knowledge)
    : informed_(parameters.informed),
      widening_(parameters),
      exploration_(exploration),
      without_knowledge_(std::move(without_knowledge)) {}

std::uint32_t InformedSelection::choose(const Node& node, const Edges& edges, int role, Flight& flight) {
  if (!node.ranked || !informed_[static_cast<std::size_t>(role)]) {
    return without_knowledge_->choose(node, edges, role, flight);
  }
  MoveRange moves(edges, role, node);
  moves.count = widening_.width(moves.count, node.visits);
  const Survey survey = exploration_.survey(moves);
  const std::uint32_t unvisited = survey.unvisited;
  if (unvisited == moves.count) return moves.first + survey.best.place;
  if (survey.best.value > survey.mean + exploration_.first_bonus(moves, unvisited)) {
    return moves.first + survey.best.place;
  }
  std::uint32_t alike = 0;
  for (std::uint32_t i = unvisited; i < moves.count && moves.priors[i] == moves.priors[unvisited]; ++i) {
    alike += moves.visits[i] == 0;
  }
  std::uint64_t skip = flight.draws.below(alike);
  std::uint32_t place = unvisited;
  while (moves.visits[place] != 0 || skip-- > 0) ++place;
  return moves.first + place;
}

}  // namespace gdl
