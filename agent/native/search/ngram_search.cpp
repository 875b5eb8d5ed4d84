// What the descent does with n-grams.
#include "search/search.hpp"

namespace gdl {

std::optional<std::uint32_t> Search::recall(Flight& flight, const Edges& edges, int role, bool ranked) {
  if (all_moves_ || (ranked && player_.selection.informed[static_cast<std::size_t>(role)])) return std::nullopt;
  const std::uint32_t first = edges.role_start[role], last = edges.role_start[role + 1];
  auto& rows = workspace_.memory.rows;
  rows.clear();
  for (std::uint32_t edge = first; edge < last; ++edge) {
    if (edges.visits[edge] == 0) rows.push_back(edges.rows[edge]);
  }
  if (rows.size() < 2) return std::nullopt;
  std::size_t skip = ngrams_->choose(rows, flight.context, flight.draws, workspace_.memory.candidates, workspace_.work);
  std::uint32_t edge = first;
  while (edges.visits[edge] > 0 || skip-- > 0) ++edge;
  return edge;
}

// Of the roles that chose; the context becomes that of the state it leads to.
void Search::note_choice(Flight& flight) {
  const Step& step = flight.path.back();
  const Edges edges = tree_.edges(step.node);
  auto& joint = workspace_.memory.rows;
  joint.clear();
  for (std::size_t role = 0; role < flight.choice.size(); ++role) {
    joint.push_back(edges.rows[flight.choice[role]]);
    if (step.chooser == SEVERAL_CHOOSERS || step.chooser == static_cast<std::int32_t>(role)) {
      flight.made.push_back(NGrams::made(flight.context, joint.back(), static_cast<std::int32_t>(role)));
    }
  }
  flight.context.follow(joint);
}

}  // namespace gdl
