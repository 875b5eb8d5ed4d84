#include "search/leaf_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace gdl {
namespace {

constexpr std::int64_t NO_LIMIT = std::numeric_limits<std::int64_t>::max();
// The largest weight of values that are mixed with playouts.
constexpr double MOST_MIXED = 0.5;

// Takes facts of one kind, which must be those that are known, if there are some.
template <class Facts>
void join(Facts& known, const Facts& facts) {
  if (facts.empty()) return;
  if (!known.empty() && !(known == facts)) throw std::invalid_argument("players see other derived facts");
  known = facts;
}

}  // namespace

std::vector<std::unique_ptr<ValueFunction>> share_facts(std::span<PlayerSpec> players) {
  DerivedFacts all;
  for (const PlayerSpec& player : players) {
    if (player.values == nullptr) continue;
    join(all.cells, player.values->network().derived.cells);
    join(all.costs, player.values->network().derived.costs);
  }
  std::vector<std::unique_ptr<ValueFunction>> widened;
  for (PlayerSpec& player : players) {
    if (player.values == nullptr) continue;
    const DerivedFacts& own = player.values->network().derived;
    if (own.empty() || own.n_facts() == all.n_facts()) continue;
    widened.push_back(std::make_unique<ValueFunction>(*player.values));
    widened.back()->widen(all);
    player.values = widened.back().get();
  }
  return widened;
}

LeafValues::LeafValues(const PlayerSpec& player, SearchMemory& memory)
    : experience_(player.experience),
      trusted_playouts_(player.trusted_playouts > 0 ? player.trusted_playouts : NO_LIMIT),
      valued_playouts_(player.valued_playouts > 0 ? player.valued_playouts : NO_LIMIT),
      memory_(memory) {
  const double weight = player.value_weight;
  if (player.values == nullptr || (weight == 0 && experience_ == 0)) return;
  values_.emplace(*player.values);
  if (!player.values->network().derived.empty()) facts_ = &player.values->network().derived;
  trusting_ = {
      .nodes = weight > 0 || experience_ > 0, .moves = experience_ > 0, .simulates = weight < 1, .weight = weight};
  mixing_ = {.nodes = weight > 0, .moves = false, .simulates = true, .weight = std::min(weight, MOST_MIXED)};
}

void LeafValues::value_state(const std::uint64_t* state, std::span<const std::uint64_t> derived,
                             std::span<double> values) {
  values_->begin(state, derived);
  values_->after({}, derived, values.data());
}

void LeafValues::value_moves(Tree& tree, NodeId id, std::span<const std::int32_t> rows, const Afterstates& found,
                             std::size_t position, const Solver* solver, std::span<double> values) {
  const auto chooser = static_cast<std::size_t>(tree.node(id).chooser);
  tree.node(id).valued = true;
  find_edges(tree, id, rows);
  values_->begin(tree.state(id), found.usual(position));
  std::vector<double>& own = memory_.values;
  own.resize(values.size());
  double best = -1;
  for (std::size_t move = 0; move < rows.size(); ++move) {
    const Afterstate after = found.at(position, move);
    const std::uint32_t edge = memory_.place_of[move];
    if (after.goals != nullptr) {
      std::copy_n(after.goals, own.size(), own.begin());
      if (solver != nullptr) solver->prove(tree, id, edge, after.goals);
    } else {
      values_->after(after.changed, after.derived, own.data());
    }
    const Edges edges = tree.edges(id);
    edges.visits[edge] += experience_;
    edges.sums[edge] += static_cast<std::uint32_t>(std::lround(experience_ * own[chooser]));
    if (own[chooser] <= best) continue;
    best = own[chooser];
    std::ranges::copy(own, values.begin());
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
  for (std::uint32_t edge = first; edge < first + rows.size(); ++edge) {
    const auto place = std::ranges::lower_bound(rows, edges.rows[edge]) - rows.begin();
    memory_.place_of[static_cast<std::size_t>(place)] = edge;
  }
}

}  // namespace gdl
