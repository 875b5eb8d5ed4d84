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
// Paths this long are searched for states that come again.
constexpr std::size_t LONG_PATH = 256;

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
      tree_(circuit, player.limits, player.solves, seed),
      draws_by_knowledge_(player.scorer != nullptr && player.scorer->acts_in(Phase::kPlayout)),
      drawn_moves_(draws_by_knowledge_ || player.mast_temperature > 0 ? player.playout_moves : 0),
      flights_(static_cast<std::size_t>(player.in_flight)) {
  if (player.mast_temperature > 0) averages_.emplace(circuit.legal.size());
  for (Flight& flight : flights_) {
    flight.choice.resize(static_cast<std::size_t>(circuit.n_roles));
    flight.joint.resize(static_cast<std::size_t>(circuit.n_roles));
  }
}

void Search::begin(const std::uint64_t* state, const std::int32_t* last_rows, std::span<const std::int32_t> rows,
                   std::uint64_t seed, double now) {
  if (playouts_in_tree_ > MOST_PLAYOUTS) {
    tree_ = Tree(circuit_, TreeLimits{}, player_.solves, tree_seed_);  // the old one gives its memory back first
    tree_ = Tree(circuit_, limits_, player_.solves, tree_seed_);
    playouts_in_tree_ = 0;
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
  deadline_ = now + player_.seconds;
  playouts_ = 0;
  credit_ = 0;
  if (averages_) averages_->fade();
}

bool Search::spent(double now) const {
  if (solved()) return true;
  if (playouts_ == 0) return false;
  if (playouts_ >= MOST_PLAYOUTS) return true;
  return player_.playouts > 0 ? playouts_ >= player_.playouts : now >= deadline_;
}

LaneTask Search::next_playout(Flight& flight, double now) {
  for (int i = 0; i < PLAYOUTS_AT_ONCE; ++i) {
    if (spent(now)) return active_ == 0 ? LaneTask::Done : LaneTask::Rest;
    const std::uint64_t playout_seed = hash_combine(seed_, static_cast<std::uint64_t>(playouts_));
    flight.draws = Draws(playout_seed);
    flight.lane_seed = hash_combine(playout_seed, LANE_STREAM);
    ++playouts_;
    ++playouts_in_tree_;
    ++active_;
    credit_ += std::llround(player_.expansions * WHOLE_NODE);
    flight.allowance = credit_ / WHOLE_NODE;
    flight.draws_left = drawn_moves_;
    credit_ -= flight.allowance * WHOLE_NODE;
    flight.active = true;
    flight.path.clear();
    flight.several.clear();
    flight.start = tree_.now() + 1;
    enter(flight, root_);
    if (const auto task = descend(flight, false)) return *task;
  }
  return LaneTask::Wait;
}

bool Search::enter(Flight& flight, NodeId id) {
  flight.at = id;
  tree_.visit(id);
  if (flight.path.size() < LONG_PATH) return true;
  return std::none_of(flight.path.begin(), flight.path.end(), [id](const Step& step) { return step.node == id; });
}

std::optional<LaneTask> Search::descend(Flight& flight, bool lane_shows_it) {
  for (;;) {
    const NodeKind kind = tree_.node(flight.at).kind;
    if (kind == NodeKind::Terminal || kind == NodeKind::Solved) {
      if (player_.solves) prove(flight);
      back_up(flight, tree_.goals(flight.at).data());
      return std::nullopt;
    }
    if (kind == NodeKind::Leaf) return lane_shows_it ? LaneTask::List : LaneTask::LoadAndList;
    choose(flight);
    const NodeId child = tree_.child(flight.at, flight.choice.data());
    if (child == NO_NODE) return lane_shows_it ? LaneTask::Move : LaneTask::LoadAndMove;
    if (!enter(flight, child)) return LaneTask::LoadAndPlay;
    lane_shows_it = false;
  }
}

LaneTask Search::go_on(Flight& flight, bool lane_shows_it, double now) {
  const auto task = descend(flight, lane_shows_it);
  return task ? *task : next_playout(flight, now);
}

void Search::choose(Flight& flight) {
  Node& node = tree_.node(flight.at);
  if (!node.ranked && player_.scorer != nullptr && node.visits >= player_.scoring_visits) {
    const bool at_start = flight.path.empty() && root_last_rows_.empty();
    const std::int32_t* last_rows = flight.path.empty() ? root_last_rows_.data() : flight.joint.data();
    rank(flight.at, at_start ? nullptr : last_rows);
  }
  const Edges edges = tree_.edges(flight.at);
  const MoveAverages* averages = averages_ ? &*averages_ : nullptr;
  workspace_.work.add(Operation::Pass);
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const std::uint32_t moves = edges.role_start[role + 1] - edges.role_start[role];
    if (moves > 1) workspace_.work.add(Operation::Compare, moves);
    const std::uint32_t edge =
        workspace_.selection.choose(edges, role, node.visits, node.ranked, averages, flight.draws);
    flight.choice[static_cast<std::size_t>(role)] = edge;
    flight.joint[static_cast<std::size_t>(role)] = edges.rows[edge];
  }
  ++node.visits;
  if (node.chooser == SEVERAL_CHOOSERS) {
    flight.path.push_back({flight.at, static_cast<std::uint32_t>(flight.several.size())});
    flight.several.insert(flight.several.end(), flight.choice.begin(), flight.choice.end());
    for (const std::uint32_t edge : flight.choice) ++edges.visits[edge];
  } else {
    const std::uint32_t edge = flight.choice[static_cast<std::size_t>(node.chooser)];
    flight.path.push_back({flight.at, edge});
    ++edges.visits[edge];
  }
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
  const std::uint64_t hash = tree_.hash(state);
  NodeId id = tree_.find(hash, state);
  if (id != NO_NODE) {
    tree_.link(flight.at, flight.choice.data(), id);
    return enter(flight, id) ? go_on(flight, true, now) : LaneTask::Play;
  }
  if (flight.allowance > 0) id = tree_.add(hash, state, oldest_start());
  if (id != NO_NODE) {
    --flight.allowance;
    ++nodes_added_;
    tree_.link(flight.at, flight.choice.data(), id);
    flight.at = id;
    if (goals != nullptr) tree_.make_terminal(id, {goals, flight.choice.size()});
    if (goals != nullptr && player_.solves) prove(flight);
  }
  if (goals != nullptr) return finish(number, goals, now);
  return flight.allowance > 0 && id != NO_NODE ? go_on(flight, true, now) : LaneTask::Play;
}

LaneTask Search::list(int number, std::span<const std::int32_t> rows, double now) {
  Flight& flight = flights_[number];
  if (tree_.node(flight.at).kind == NodeKind::Leaf) open(flight.at, rows);
  return go_on(flight, true, now);
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
    const Node& node = tree_.node(step.node);
    const Edges edges = tree_.edges(step.node);
    if (node.chooser != SEVERAL_CHOOSERS) {
      edges.sums[step.edge] += static_cast<std::uint32_t>(goals[node.chooser]);
      if (averages_) averages_->add(edges.rows[step.edge], goals[node.chooser]);
      continue;
    }
    for (std::size_t role = 0; role < flight.choice.size(); ++role) {
      const std::uint32_t edge = flight.several[step.edge + role];
      edges.sums[edge] += static_cast<std::uint32_t>(goals[role]);
      if (averages_) averages_->add(edges.rows[edge], goals[role]);
    }
  }
}

void Search::prove(const Flight& flight) {
  const std::int32_t* goals = tree_.goals(flight.at).data();
  for (auto step = flight.path.rbegin(); step != flight.path.rend(); ++step) {
    if (!workspace_.proof.prove(tree_, step->node, step->edge, goals)) return;
    goals = tree_.goals(step->node).data();
  }
}

void Search::abandon() {
  for (Flight& flight : flights_) {
    if (!flight.active) continue;
    flight.active = false;
    --active_;
    --playouts_;
    --playouts_in_tree_;
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

// Sorts the moves of informed roles by their weights, which become priors. Whoever is on the way through the node
// follows.
void Search::rank(NodeId id, const std::int32_t* last_rows) {
  const Edges edges = tree_.edges(id);
  auto& place_of = workspace_.place_of;
  place_of.resize(tree_.node(id).n_edges);
  std::iota(place_of.begin(), place_of.end(), 0u);
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const std::uint32_t first = edges.role_start[role], moves = edges.role_start[role + 1] - first;
    if (moves == 1 || !player_.selection.informed[static_cast<std::size_t>(role)]) continue;
    workspace_.work.add(Operation::Score, moves);
    workspace_.ranking.rank(role, tree_.state(id), last_rows, {edges.rows + first, moves});
    tree_.sort_moves(id, role, workspace_.ranking.order(), workspace_.ranking.priors());
    for (std::uint32_t place = 0; place < moves; ++place) {
      place_of[first + workspace_.ranking.order()[place]] = first + place;
    }
  }
  if (tree_.node(id).visits > 0) follow_order(id);
  tree_.node(id).ranked = true;
}

void Search::follow_order(NodeId id) {
  const bool several = tree_.node(id).chooser == SEVERAL_CHOOSERS;
  const auto follow = [this](std::uint32_t& edge) { edge = workspace_.place_of[edge]; };
  for (Flight& flight : flights_) {
    if (!flight.active) continue;
    for (Step& step : flight.path) {
      if (step.node != id) continue;
      if (!several) {
        follow(step.edge);
        continue;
      }
      for (std::size_t role = 0; role < flight.choice.size(); ++role) follow(flight.several[step.edge + role]);
    }
    const bool chose_here = !flight.path.empty() && flight.path.back().node == id && flight.at == id;
    if (chose_here) std::for_each(flight.choice.begin(), flight.choice.end(), follow);
  }
}

void Search::draw_moves(int number, const std::uint64_t* state, std::span<const std::int32_t> rows) {
  Flight& flight = flights_[number];
  --flight.draws_left;
  workspace_.last_rows.assign(flight.joint.begin(), flight.joint.end());
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const auto own = rows_of_role(circuit_, role, rows);
    std::size_t drawn = 0;
    if (own.size() > 1) {
      workspace_.weights.resize(own.size());
      if (draws_by_knowledge_) {
        player_.scorer->score(Phase::kPlayout, role, state, workspace_.last_rows.data(), own, workspace_.weights,
                              workspace_.scorer);
      } else {
        std::transform(own.begin(), own.end(), workspace_.weights.begin(),
                       [this](std::int32_t row) { return workspace_.selection.weight(*averages_, row); });
      }
      const std::uint64_t total =
          std::accumulate(workspace_.weights.begin(), workspace_.weights.end(), std::uint64_t{0});
      std::uint64_t rest = flight.draws.below(total);
      while (rest >= workspace_.weights[drawn]) rest -= workspace_.weights[drawn++];
    }
    flight.joint[static_cast<std::size_t>(role)] = own[drawn];
  }
}

std::uint32_t Search::best_edge(NodeId id, int role) const {
  const Edges edges = tree_.edges(id);
  const Proof& proof = workspace_.proof;
  std::uint32_t best = edges.role_start[role];
  for (std::uint32_t edge = best + 1; edge < edges.role_start[role + 1]; ++edge) {
    const int verdicts = proof.verdict(tree_, id, role, edge) - proof.verdict(tree_, id, role, best);
    if (verdicts != 0) {
      if (verdicts > 0) best = edge;
    } else if (edges.visits[edge] != edges.visits[best]) {
      if (edges.visits[edge] > edges.visits[best]) best = edge;
    } else if (edges.sums[edge] != edges.sums[best]) {
      if (edges.sums[edge] > edges.sums[best]) best = edge;
    } else if (edges.rows[edge] < edges.rows[best]) {
      best = edge;
    }
  }
  return best;
}

std::vector<std::int32_t> Search::principal_line(int role, std::int32_t first, std::size_t longest) const {
  std::vector<std::int32_t> line;
  std::vector<std::uint32_t> choice(static_cast<std::size_t>(circuit_.n_roles));
  NodeId at = root_;
  for (std::size_t move = 0; move < longest && at != NO_NODE; ++move) {
    const Node& node = tree_.node(at);
    if (node.kind != NodeKind::Open && node.kind != NodeKind::Solved) break;
    if (node.visits == 0) break;
    const Edges edges = tree_.edges(at);
    for (int each = 0; each < circuit_.n_roles; ++each) {
      std::uint32_t best = best_edge(at, each);
      if (move == 0 && each == role) {
        best = edges.role_start[role];
        while (best < edges.role_start[role + 1] && edges.rows[best] != first) ++best;
        if (best == edges.role_start[role + 1]) return {};
      }
      choice[static_cast<std::size_t>(each)] = best;
      line.push_back(edges.rows[best]);
    }
    at = tree_.child(at, choice.data());
  }
  return line;
}

}  // namespace gdl
