#include "search/knowledge_order.hpp"

#include <algorithm>
#include <numeric>

namespace gdl {

void KnowledgeOrder::rank(Tree& tree, NodeId id, const std::int32_t* last_rows, std::span<Flight> flights,
                          Work& work) const {
  const Edges edges = tree.edges(id);
  const bool moves_chosen = tree.node(id).visits > 0;
  Ranking& ranking = memory_.ranking;
  auto& place_of = memory_.place_of;
  const bool shares = player_.selection.exploration == ExplorationKind::Puct;
  if (moves_chosen) {
    place_of.resize(tree.node(id).n_edges);
    std::iota(place_of.begin(), place_of.end(), 0u);
  }
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const std::uint32_t first = edges.role_start[role], moves = edges.role_start[role + 1] - first;
    if (moves == 1 || !player_.selection.informed[static_cast<std::size_t>(role)]) continue;
    work.add(Operation::Score, moves);
    ranking.rank(*player_.scorer, shares, role, tree.state(id), last_rows, {edges.rows + first, moves});
    tree.sort_moves(id, role, ranking.order(), ranking.priors());
    for (std::uint32_t place = 0; moves_chosen && place < moves; ++place) {
      place_of[first + ranking.order()[place]] = first + place;
    }
  }
  if (moves_chosen) follow(tree, id, flights);
  tree.node(id).ranked = true;
}

void KnowledgeOrder::follow(const Tree& tree, NodeId id, std::span<Flight> flights) const {
  const bool several = tree.node(id).chooser == SEVERAL_CHOOSERS;
  const auto follow = [this](std::uint32_t& edge) { edge = memory_.place_of[edge]; };
  for (Flight& flight : flights) {
    if (!flight.active) continue;
    for (PathStep& step : flight.path) {
      if (step.node != id) continue;
      if (!several) {
        follow(step.edge);
        step.sum = tree.edges(id).sums + step.edge;
        continue;
      }
      for (std::size_t role = 0; role < flight.choice.size(); ++role) follow(flight.several[step.edge + role]);
    }
    const bool chose_here = !flight.path.empty() && flight.path.back().node == id && flight.at == id;
    if (!chose_here) continue;
    std::for_each(flight.choice.begin(), flight.choice.end(), follow);
    if (!several) flight.way = tree.edges(id).link_of(tree.node(id).chooser, flight.path.back().edge);
  }
}

}  // namespace gdl
