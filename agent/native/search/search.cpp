#include "search/search.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gdl {
namespace {

constexpr std::uint64_t LANE_STREAM = 1;

// Nodes that one search adds; later searches find their room made, or make it.
std::size_t expected_nodes(const Player& player) {
  return static_cast<std::size_t>(std::ceil(static_cast<double>(player.playouts) * player.expansions)) + 1;
}

}  // namespace

Search::Search(const Circuit& circuit, const Player& player, Workspace& workspace, std::uint64_t seed)
    : circuit_(circuit),
      player_(player),
      workspace_(workspace),
      flights_(static_cast<std::size_t>(player.in_flight)),
      budget_(player),
      drawn_moves_(workspace.policies.drawn_moves()),
      ranking_visits_(workspace.policies.ranking_visits()),
      contents_{.priors = player.scorer != nullptr, .proofs = player.solves, .nodes = expected_nodes(player)},
      tree_seed_(seed),
      tree_(circuit, workspace.memory.pages, player.limits, contents_, seed),
      policies_(workspace.policies.make(tree_, workspace.work)) {
  for (Flight& flight : flights_) {
    flight.number = static_cast<std::int32_t>(&flight - flights_.data());
    flight.choice.resize(static_cast<std::size_t>(circuit.n_roles));
    flight.joint.resize(static_cast<std::size_t>(circuit.n_roles));
  }
}

void Search::begin(const std::uint64_t* state, const std::int32_t* last_rows, std::span<const std::int32_t> rows,
                   std::uint64_t seed, double now) {
  if (budget_.fills_tree()) {
    tree_ = Tree(circuit_, workspace_.memory.pages, {}, {}, tree_seed_);  // the old one gives its memory back first
    tree_ = Tree(circuit_, workspace_.memory.pages, player_.limits, contents_, tree_seed_);
    budget_.begin_tree();
    for (const auto& each : policies_.statistics) each->forget_tree();
  }
  const std::uint64_t hash = tree_.hash(state);
  root_ = tree_.find(hash, state);
  if (root_ == NO_NODE) {
    root_ = tree_.add(hash, state, tree_.now() + 1);
    ++nodes_added_;
  }
  if (root_ == NO_NODE) throw std::logic_error("the transposition table has no room for a single state");
  root_last_rows_.clear();
  if (last_rows != nullptr) root_last_rows_.assign(last_rows, last_rows + circuit_.n_roles);
  if (tree_.node(root_).kind == NodeKind::Leaf) open(root_, rows);
  seed_ = seed;
  budget_.begin(now);
  std::size_t beside = 0;
  for (const auto& each : policies_.statistics) {
    each->begin_search(root_last_rows_);
    beside += each->bytes();
  }
  tree_.set_beside(beside);
}

LaneTask Search::next_playout(Flight& flight, double now) {
  if (result().solved() || budget_.spent(now)) return active_ == 0 ? LaneTask::Done : LaneTask::Rest;
  const std::uint64_t playout_seed = hash_combine(seed_, static_cast<std::uint64_t>(budget_.playouts()));
  flight.draws = Draws(playout_seed);
  flight.lane_seed = hash_combine(playout_seed, LANE_STREAM);
  ++active_;
  flight.allowance = budget_.begin_playout();
  flight.draws_left = drawn_moves_;
  flight.active = true;
  flight.path.clear();
  flight.several.clear();
  for (const auto& each : policies_.statistics) each->begin_playout(flight);
  flight.start = tree_.now() + 1;
  flight.next = tree_.link_to(root_);
  return arrive_at_next(flight);
}

// Nodes visited since then may be on the path of a playout in flight.
std::uint64_t Search::oldest_start() const {
  std::uint64_t oldest = tree_.now() + 1;
  for (const Flight& flight : flights_) {
    if (flight.active) oldest = std::min(oldest, flight.start);
  }
  return oldest;
}

LaneTask Search::arrive(int number, const std::uint64_t* state, const std::int32_t* goals, double now) {
  Flight& flight = flights_[number];
  flight.shown = true;
  NodeId id = tree_.find(flight.hash, state);
  if (id != NO_NODE) {
    link(flight, id);
    return enter(flight, id) ? go_on(flight, now) : LaneTask::Play;
  }
  if (flight.allowance > 0) id = tree_.add(flight.hash, state, oldest_start());
  if (id != NO_NODE) {
    --flight.allowance;
    ++nodes_added_;
    link(flight, id);
    flight.at = id;
    if (goals != nullptr) tree_.make_terminal(id, {goals, flight.choice.size()});
    if (goals != nullptr && player_.solves) workspace_.solver.back_up(tree_, flight.path, id);
  }
  if (goals != nullptr) return finish(number, goals, now);
  return flight.allowance > 0 && id != NO_NODE ? go_on(flight, now) : LaneTask::Play;
}

void Search::link(const Flight& flight, NodeId child) {
  if (flight.way != nullptr) {
    *flight.way = tree_.link_to(child);
  } else {
    tree_.link_jointly(flight.at, flight.choice.data(), child);
  }
}

LaneTask Search::list(int number, std::span<const std::int32_t> rows, double now) {
  Flight& flight = flights_[number];
  flight.shown = true;
  if (tree_.node(flight.at).kind == NodeKind::Leaf) open(flight.at, rows);
  return go_on(flight, now);
}

LaneTask Search::finish(int number, const std::int32_t* goals, double now) {
  back_up(flights_[number], goals);
  return next_playout(flights_[number], now);
}

// The visits were counted when the moves were chosen.
void Search::back_up(Flight& flight, const std::int32_t* goals) {
  ++workspace_.playouts;
  workspace_.work.add(Operation::Playout);
  --active_;
  flight.active = false;
  for (const Step& step : flight.path) {
    if (step.sum != nullptr) {
      *step.sum += static_cast<std::uint32_t>(goals[step.chooser]);
      continue;
    }
    const Edges edges = tree_.edges(step.node);
    for (std::size_t role = 0; role < flight.choice.size(); ++role) {
      edges.sums[flight.several[step.edge + role]] += static_cast<std::uint32_t>(goals[role]);
    }
  }
  for (const auto& each : policies_.statistics) each->back_up(flight, goals);
}

void Search::abandon() {
  for (Flight& flight : flights_) {
    if (!flight.active) continue;
    flight.active = false;
    --active_;
    budget_.withdraw_playout();
    for (const Step& step : flight.path) {
      Node& node = tree_.node(step.node);
      const Edges edges = tree_.edges(step.node);
      --node.visits;
      if (node.chooser != SEVERAL_CHOOSERS) {
        --edges.visits[step.edge];
        continue;
      }
      for (std::size_t role = 0; role < flight.choice.size(); ++role) {
        --edges.visits[flight.several[step.edge + role]];
      }
    }
  }
}

void Search::open(NodeId id, std::span<const std::int32_t> rows) {
  workspace_.work.add(Operation::Open);
  workspace_.work.add(Operation::List, static_cast<std::int64_t>(rows.size()));
  for (int role = 0; role < circuit_.n_roles; ++role) rows_of_role(circuit_, role, rows);  // none is without a move
  tree_.open(id, rows);
}

}  // namespace gdl
