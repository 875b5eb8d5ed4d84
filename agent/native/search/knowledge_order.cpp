#include "search/knowledge_order.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "hardware/instruction_set.hpp"

namespace gdl {

KnowledgeOrder::KnowledgeOrder(const Circuit& circuit, const PlayerSpec& player, SearchMemory& memory)
    : circuit_(circuit), player_(player), kernels_(selection_kernels(chosen_instruction_set())), memory_(memory) {}

void KnowledgeOrder::rank(Tree& tree, NodeId id, const std::int32_t* last_rows, std::span<Flight> flights,
                          Work& work) const {
  const Edges edges = tree.edges(id);
  const bool moves_chosen = tree.node(id).visits > 0;
  auto& place_of = memory_.place_of;
  if (moves_chosen) {
    place_of.resize(tree.node(id).n_edges);
    std::iota(place_of.begin(), place_of.end(), 0u);
  }
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const std::uint32_t first = edges.role_start[role], moves = edges.role_start[role + 1] - first;
    if (moves == 1 || !player_.selection.informed[static_cast<std::size_t>(role)]) continue;
    work.add(Operation::Rank);
    work.add(Operation::Score, moves);
    sort(role, tree.state(id), last_rows, {edges.rows + first, moves}, work);
    tree.sort_moves(id, role, memory_.order, memory_.priors);
    for (std::uint32_t place = 0; moves_chosen && place < moves; ++place) {
      place_of[first + memory_.order[place]] = first + place;
    }
  }
  if (moves_chosen) follow(tree, id, flights);
  tree.node(id).ranked = true;
}

void KnowledgeOrder::sort(int role, const std::uint64_t* state, const std::int32_t* last_rows,
                          std::span<const std::int32_t> rows, Work& work) const {
  auto& weights = memory_.weights;
  auto& order = memory_.order;
  auto& shares = memory_.shares;
  const auto moves = static_cast<std::uint32_t>(rows.size());
  weights.resize(moves);
  order.resize(moves);
  memory_.priors.resize(moves);
  shares.resize(moves);
  work.add(player_.scorer->score(ScoringPhase::Selection, role, state, last_rows, rows, weights, memory_.scorer));
  const bool by_sum = player_.selection.exploration == ExplorationKind::Puct;
  const double whole = by_sum ? std::accumulate(weights.begin(), weights.end(), std::uint64_t{0})
                              : *std::max_element(weights.begin(), weights.end());
  kernels_.divide_weights(weights.data(), moves, whole, shares.data());
  if (moves <= MOST_PLACED) {
    // The place of a move is the number of moves before it. Every pair is compared, without branches on the result.
    std::array<std::uint32_t, MOST_PLACED> places;
    kernels_.rank_weights(weights.data(), moves, places.data());
    for (std::uint32_t i = 0; i < moves; ++i) order[places[i]] = i;
  } else {
    auto& keys = memory_.keys;
    keys.resize(moves);
    for (std::uint32_t i = 0; i < moves; ++i) keys[i] = std::uint64_t{~weights[i]} << 32 | i;
    std::sort(keys.begin(), keys.end());
    for (std::uint32_t place = 0; place < moves; ++place) order[place] = static_cast<std::uint32_t>(keys[place]);
  }
  for (std::uint32_t place = 0; place < moves; ++place) memory_.priors[place] = shares[order[place]];
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
