// Where weights of moves act in a search: the order of a node's moves, and moves drawn in playouts.
#include <algorithm>
#include <numeric>

#include "search/search.hpp"

namespace gdl {

// Sorts the moves of informed roles by their weights, which become priors. Whoever is on the way through the node
// follows.
void Search::rank(NodeId id, const std::int32_t* last_rows) {
  const Edges edges = tree_.edges(id);
  const bool moves_chosen = tree_.node(id).visits > 0;
  Ranking& ranking = workspace_.memory.ranking;
  auto& place_of = workspace_.memory.place_of;
  const bool shares = player_.selection.exploration == Exploration::Puct;
  if (moves_chosen) {
    place_of.resize(tree_.node(id).n_edges);
    std::iota(place_of.begin(), place_of.end(), 0u);
  }
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const std::uint32_t first = edges.role_start[role], moves = edges.role_start[role + 1] - first;
    if (moves == 1 || !player_.selection.informed[static_cast<std::size_t>(role)]) continue;
    workspace_.work.add(Operation::Score, moves);
    ranking.rank(*player_.scorer, shares, role, tree_.state(id), last_rows, {edges.rows + first, moves});
    tree_.sort_moves(id, role, ranking.order(), ranking.priors());
    for (std::uint32_t place = 0; moves_chosen && place < moves; ++place) {
      place_of[first + ranking.order()[place]] = first + place;
    }
  }
  if (moves_chosen) follow_order(id);
  tree_.node(id).ranked = true;
}

void Search::follow_order(NodeId id) {
  const bool several = tree_.node(id).chooser == SEVERAL_CHOOSERS;
  const auto follow = [this](std::uint32_t& edge) { edge = workspace_.memory.place_of[edge]; };
  for (Flight& flight : flights_) {
    if (!flight.active) continue;
    for (Step& step : flight.path) {
      if (step.node != id) continue;
      if (!several) {
        follow(step.edge);
        step.sum = tree_.edges(id).sums + step.edge;
        continue;
      }
      for (std::size_t role = 0; role < flight.choice.size(); ++role) follow(flight.several[step.edge + role]);
    }
    const bool chose_here = !flight.path.empty() && flight.path.back().node == id && flight.at == id;
    if (!chose_here) continue;
    std::for_each(flight.choice.begin(), flight.choice.end(), follow);
    if (!several) flight.way = tree_.edges(id).link_of(tree_.node(id).chooser, flight.path.back().edge);
  }
}

void Search::draw_moves(int number, const std::uint64_t* state, std::span<const std::int32_t> rows) {
  Flight& flight = flights_[number];
  --flight.draws_left;
  SearchMemory& memory = workspace_.memory;
  memory.last_rows.assign(flight.joint.begin(), flight.joint.end());
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const auto own = rows_of_role(circuit_, role, rows);
    std::size_t drawn = 0;
    if (own.size() > 1 && ngrams_ && !draws_by_knowledge_) {
      drawn = ngrams_->choose(own, flight.context, flight.draws, memory.candidates, workspace_.work);
    } else if (own.size() > 1) {
      memory.weights.resize(own.size());
      if (draws_by_knowledge_) {
        player_.scorer->score(Phase::Playout, role, state, memory.last_rows.data(), own, memory.weights, memory.scorer);
      } else {
        std::transform(own.begin(), own.end(), memory.weights.begin(),
                       [this](std::int32_t row) { return workspace_.selection.weight(*averages_, row); });
      }
      const std::uint64_t total = std::accumulate(memory.weights.begin(), memory.weights.end(), std::uint64_t{0});
      std::uint64_t rest = flight.draws.below(total);
      while (rest >= memory.weights[drawn]) rest -= memory.weights[drawn++];
    }
    flight.joint[static_cast<std::size_t>(role)] = own[drawn];
    if (own.size() > 1 && ngrams_) flight.made.push_back(NGrams::made(flight.context, own[drawn], role));
  }
  if (ngrams_) flight.context.follow(flight.joint);
}

}  // namespace gdl
