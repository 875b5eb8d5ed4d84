#include "search/leaf_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace gdl {
namespace {

constexpr std::int64_t NO_LIMIT = std::numeric_limits<std::int64_t>::max();
// The largest weight of values that are mixed with playouts.
constexpr double MOST_MIXED = 0.5;

}  // namespace

LeafValues::LeafValues(const PlayerSpec& player, SearchMemory& memory, const DerivedFacts& seen)
    : seen_(seen),
      experience_(player.experience),
      trusted_playouts_(player.trusted_playouts > 0 ? player.trusted_playouts : NO_LIMIT),
      valued_playouts_(player.valued_playouts > 0 ? player.valued_playouts : NO_LIMIT),
      memory_(memory) {
  const double weight = player.value_weight;
  if (player.values == nullptr || (weight == 0 && experience_ == 0)) return;
  values_.emplace(*player.values);
  if (!player.values->network().derived.empty()) own_ = &player.values->network().derived;
  trusting_ = {
      .nodes = weight > 0 || experience_ > 0, .moves = experience_ > 0, .simulates = weight < 1, .weight = weight};
  mixing_ = {.nodes = weight > 0, .moves = false, .simulates = true, .weight = std::min(weight, MOST_MIXED)};
}

void LeafValues::value_state(const std::uint64_t* state, std::span<const std::uint64_t> derived,
                             std::span<double> values) {
  values_->begin(state, own(derived));
  values_->add({}, own(derived));
  std::ranges::copy(values_->values(), values.begin());
}

void LeafValues::value_moves(Tree& tree, NodeId id, std::span<const std::int32_t> rows, const Afterstates& found,
                             std::size_t position, const Solver* solver, std::span<double> values) {
  tree.node(id).valued = true;
  find_edges(tree, id, rows);
  values_->begin(tree.state(id), own(found.usual(position)));
  for (std::size_t move = 0; move < rows.size(); ++move) {
    const Afterstate after = found.at(position, move);
    if (after.goals == nullptr) values_->add(after.changed, own(after.derived));
  }
  const auto chooser = static_cast<std::size_t>(tree.node(id).chooser);
  const double* learned = values_->values().data();
  std::vector<double>& worth = memory_.values;
  worth.resize(values.size());
  double best = -1;
  for (std::size_t move = 0; move < rows.size(); ++move) {
    const std::int32_t* goals = found.at(position, move).goals;
    const std::uint32_t edge = memory_.place_of[move];
    if (goals != nullptr) {
      std::copy_n(goals, worth.size(), worth.begin());
      if (solver != nullptr) solver->prove(tree, id, edge, goals);
    } else {
      std::copy_n(learned, worth.size(), worth.begin());
      learned += worth.size();
    }
    const Edges edges = tree.edges(id);
    edges.visits[edge] += experience_;
    edges.sums[edge] += static_cast<std::uint32_t>(std::lround(experience_ * worth[chooser]));
    if (worth[chooser] <= best) continue;
    best = worth[chooser];
    std::ranges::copy(worth, values.begin());
  }
}

void LeafValues::round(std::span<const double> values, Draws& draws, std::int32_t* goals) {
  const double part = draws.fraction();
  for (std::size_t role = 0; role < values.size(); ++role) {
    const double exact = values[role];
    goals[role] = static_cast<std::int32_t>(role % 2 == 0 ? std::floor(exact + part) : std::ceil(exact - part));
  }
}

void LeafValues::find_edges(const Tree& tree, NodeId id, std::span<const std::int32_t> rows) {
  const Edges edges = tree.edges(id);
  const std::uint32_t first = edges.role_start[tree.node(id).chooser];
  memory_.place_of.resize(rows.size());
  if (!tree.node(id).ranked) {  // the edges are in the order of the rows
    std::iota(memory_.place_of.begin(), memory_.place_of.end(), first);
    return;
  }
  for (std::uint32_t edge = first; edge < first + rows.size(); ++edge) {
    const auto place = std::ranges::lower_bound(rows, edges.rows[edge]) - rows.begin();
    memory_.place_of[static_cast<std::size_t>(place)] = edge;
  }
}

}  // namespace gdl
