#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace gdl {
namespace {

constexpr std::int64_t WHOLE_NODE = 1000;
// Statistics are 32 bits wide: 2 * MOST_PLAYOUTS payoffs of 100 fit.
constexpr std::int64_t MOST_PLAYOUTS = 20'000'000;
// Playouts that end inside the tree, before other searches get their turn.
constexpr int PLAYOUTS_AT_ONCE = 256;
constexpr std::uint64_t LANE_STREAM = 1;

}  // namespace

std::span<const std::int32_t> rows_of_role(const Circuit& circuit, int role, std::span<const std::int32_t> rows) {
  const auto start = std::lower_bound(rows.begin(), rows.end(), circuit.move_start[static_cast<std::size_t>(role)]);
  const auto end = std::lower_bound(start, rows.end(), circuit.move_start[static_cast<std::size_t>(role) + 1]);
  if (start == end) {
    throw RuleViolation("role " + std::to_string(role + 1) + " has no legal move in a state that is not terminal");
  }
  return {start, end};
}

Search::Search(const Circuit& circuit, const Player& player, Workspace& workspace, std::uint64_t seed)
    : circuit_(circuit),
      player_(player),
      workspace_(workspace),
      limits_(player.limits),
      tree_seed_(seed),
      tree_(circuit, player.limits, seed),
      draws_playouts_(player.scorer != nullptr && player.scorer->acts_in(Phase::kPlayout)),
      choice_(static_cast<std::size_t>(circuit.n_roles)),
      joint_(static_cast<std::size_t>(circuit.n_roles)) {}

LaneTask Search::begin(const std::uint64_t* state, const std::int32_t* last_rows, std::span<const std::int32_t> rows,
                       std::uint64_t seed, double now) {
  if (playouts_in_tree_ > MOST_PLAYOUTS) {
    tree_ = Tree(circuit_, limits_, tree_seed_);
    playouts_in_tree_ = 0;
  }
  const std::uint64_t hash = tree_.hash(state);
  root_ = tree_.find(hash, state);
  if (root_ == NO_NODE) {
    root_ = tree_.add(hash, state, tree_.now() + 1);
    ++nodes_added_;
  }
  if (root_ == NO_NODE) throw std::logic_error("the transposition table has no room for a single state");
  if (tree_.node(root_).kind == NodeKind::Leaf) open(root_, last_rows, rows);
  seed_ = seed;
  deadline_ = now + player_.seconds;
  playouts_ = 0;
  credit_ = 0;
  return next_playout(now);
}

bool Search::spent(double now) const {
  if (playouts_ == 0) return false;
  if (playouts_ >= MOST_PLAYOUTS) return true;
  return player_.playouts > 0 ? playouts_ >= player_.playouts : now >= deadline_;
}

LaneTask Search::next_playout(double now) {
  for (int i = 0; i < PLAYOUTS_AT_ONCE; ++i) {
    if (spent(now)) return LaneTask::Done;
    const std::uint64_t playout_seed = hash_combine(seed_, static_cast<std::uint64_t>(playouts_));
    draws_ = Draws(playout_seed);
    lane_seed_ = hash_combine(playout_seed, LANE_STREAM);
    ++playouts_;
    ++playouts_in_tree_;
    credit_ += std::llround(player_.expansions * WHOLE_NODE);
    allowance_ = credit_ / WHOLE_NODE;
    credit_ -= allowance_ * WHOLE_NODE;
    path_.clear();
    several_.clear();
    playout_start_ = tree_.now() + 1;
    enter(root_);
    if (const auto task = descend(false)) return *task;
  }
  return LaneTask::Wait;
}

bool Search::enter(NodeId id) {
  at_ = id;
  if (tree_.node(id).last_visit >= playout_start_) return false;
  tree_.visit(id);
  return true;
}

std::optional<LaneTask> Search::descend(bool lane_shows_it) {
  for (;;) {
    const NodeKind kind = tree_.node(at_).kind;
    if (kind == NodeKind::Terminal) {
      back_up(tree_.goals(at_).data());
      return std::nullopt;
    }
    if (kind == NodeKind::Leaf) return lane_shows_it ? LaneTask::List : LaneTask::LoadAndList;
    choose(at_);
    const NodeId child = tree_.child(at_, choice_.data());
    if (child == NO_NODE) return lane_shows_it ? LaneTask::Move : LaneTask::LoadAndMove;
    if (!enter(child)) return LaneTask::LoadAndPlay;
    lane_shows_it = false;
  }
}

LaneTask Search::go_on(bool lane_shows_it, double now) {
  const auto task = descend(lane_shows_it);
  return task ? *task : next_playout(now);
}

void Search::choose(NodeId id) {
  const Node& node = tree_.node(id);
  const Edges edges = tree_.edges(id);
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const std::uint32_t edge = workspace_.selection.choose(edges, role, node.visits, draws_);
    choice_[static_cast<std::size_t>(role)] = edge;
    joint_[static_cast<std::size_t>(role)] = edges.rows[edge];
  }
  if (node.chooser == SEVERAL_CHOOSERS) {
    path_.push_back({id, static_cast<std::uint32_t>(several_.size())});
    several_.insert(several_.end(), choice_.begin(), choice_.end());
  } else {
    path_.push_back({id, choice_[static_cast<std::size_t>(node.chooser)]});
  }
}

LaneTask Search::arrive(const std::uint64_t* state, const std::int32_t* goals, double now) {
  const std::uint64_t hash = tree_.hash(state);
  NodeId id = tree_.find(hash, state);
  if (id != NO_NODE) {
    tree_.link(at_, choice_.data(), id);
    return enter(id) ? go_on(true, now) : LaneTask::Play;
  }
  if (allowance_ > 0) id = tree_.add(hash, state, playout_start_);
  if (id != NO_NODE) {
    --allowance_;
    ++nodes_added_;
    tree_.link(at_, choice_.data(), id);
    at_ = id;
    if (goals != nullptr) tree_.make_terminal(id, {goals, choice_.size()});
  }
  if (goals != nullptr) return finish(goals, now);
  return allowance_ > 0 && id != NO_NODE ? go_on(true, now) : LaneTask::Play;
}

LaneTask Search::list(std::span<const std::int32_t> rows, double now) {
  open(at_, joint_.data(), rows);
  return go_on(true, now);
}

LaneTask Search::finish(const std::int32_t* goals, double now) {
  back_up(goals);
  return next_playout(now);
}

void Search::back_up(const std::int32_t* goals) {
  ++workspace_.playouts;
  for (const Step& step : path_) {
    Node& node = tree_.node(step.node);
    const Edges edges = tree_.edges(step.node);
    ++node.visits;
    if (node.chooser != SEVERAL_CHOOSERS) {
      ++edges.visits[step.edge];
      edges.sums[step.edge] += static_cast<std::uint32_t>(goals[node.chooser]);
      continue;
    }
    for (std::size_t role = 0; role < choice_.size(); ++role) {
      const std::uint32_t edge = several_[step.edge + role];
      ++edges.visits[edge];
      edges.sums[edge] += static_cast<std::uint32_t>(goals[role]);
    }
  }
}

void Search::open(NodeId id, const std::int32_t* last_rows, std::span<const std::int32_t> rows) {
  workspace_.rows.assign(rows.begin(), rows.end());
  workspace_.priors.assign(rows.size(), 1.0f);
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const auto own = rows_of_role(circuit_, role, rows);
    if (own.size() == 1 || !player_.selection.informed[static_cast<std::size_t>(role)]) continue;
    const auto first = static_cast<std::size_t>(own.data() - rows.data());
    rank(role, id, last_rows, std::span(workspace_.rows).subspan(first, own.size()),
         std::span(workspace_.priors).subspan(first, own.size()));
  }
  tree_.open(id, workspace_.rows, workspace_.priors);
}

// Sorts the moves of a role by their weights, largest first, and makes weights priors.
void Search::rank(int role, NodeId id, const std::int32_t* last_rows, std::span<std::int32_t> rows,
                  std::span<float> priors) const {
  const std::vector<std::int32_t> listed(rows.begin(), rows.end());
  workspace_.weights.resize(rows.size());
  player_.scorer->score(Phase::kSelection, role, tree_.state(id), last_rows, listed, workspace_.weights,
                        workspace_.scorer);
  const auto& weights = workspace_.weights;
  workspace_.order.resize(rows.size());
  std::iota(workspace_.order.begin(), workspace_.order.end(), 0u);
  std::stable_sort(workspace_.order.begin(), workspace_.order.end(),
                   [&weights](std::uint32_t a, std::uint32_t b) { return weights[a] > weights[b]; });
  const double largest = weights[workspace_.order[0]];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = listed[workspace_.order[i]];
    priors[i] = static_cast<float>(weights[workspace_.order[i]] / largest);
  }
}

void Search::draw_moves(const std::uint64_t* state, std::span<const std::int32_t> rows) {
  const std::vector<std::int32_t> last_rows(joint_);
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const auto own = rows_of_role(circuit_, role, rows);
    std::size_t drawn = 0;
    if (own.size() > 1) {
      workspace_.weights.resize(own.size());
      player_.scorer->score(Phase::kPlayout, role, state, last_rows.data(), own, workspace_.weights, workspace_.scorer);
      const std::uint64_t total =
          std::accumulate(workspace_.weights.begin(), workspace_.weights.end(), std::uint64_t{0});
      std::uint64_t rest = draws_.below(total);
      while (rest >= workspace_.weights[drawn]) rest -= workspace_.weights[drawn++];
    }
    joint_[static_cast<std::size_t>(role)] = own[drawn];
  }
}

std::int32_t Search::best_row(int role) const {
  const Edges edges = tree_.edges(root_);
  std::uint32_t best = edges.role_start[role];
  for (std::uint32_t edge = best + 1; edge < edges.role_start[role + 1]; ++edge) {
    if (edges.visits[edge] != edges.visits[best]) {
      if (edges.visits[edge] > edges.visits[best]) best = edge;
    } else if (edges.sums[edge] != edges.sums[best]) {
      if (edges.sums[edge] > edges.sums[best]) best = edge;
    } else if (edges.rows[edge] < edges.rows[best]) {
      best = edge;
    }
  }
  return edges.rows[best];
}

}  // namespace gdl
