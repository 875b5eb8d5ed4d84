// A playout of UCT (Kocsis & Szepesvári 2006) has four steps, which stand below in this order:
//
//   select    From the root, a move of each role is chosen at every node, until the moves lead out of the tree.
//   expand    The state that they lead to becomes a new node.
//   simulate  From there the match is played to its end, mostly at random.
//   back up   The goals it ends with are counted for every move chosen in the tree.
//
// The rules run in lanes, hundreds of states at a time, so a search never makes a move itself. Whenever it needs the
// rules, it returns a task for its lane, other searches have their turn, and it goes on when the result of the task is
// reported to it:
//
//   Select -> Select -> ... -> Expand -> Open -> Select -> Expand -> Simulate -> back up, and the next playout starts.
//
// Select does not need the rules, but the next node from memory, which is fetched while other searches go on. Expand
// makes the moves chosen; if the state that they lead to is already in the tree by another path, selection goes on from
// there. Open asks for the legal moves of a node when a playout first goes on from it. If the lane does not show the
// state of the node at which the playout stands, it loads that state first.
//
// A search may have several playouts in flight, each with a lane. The visits of a playout are counted when its moves
// are chosen, as if its goals were 0, and its goals when it ends, so that playouts in flight take different paths
// (virtual loss: Chaslot, Winands & van den Herik 2008).
//
// A player that has learned values (leaf_values.hpp) has one more step, which comes before the simulation, and replaces
// it where values count alone:
//
//   value     The new node, or each of its moves once it is open, is worth what the values say.
//
//
// The selection (selection.hpp) chooses the moves, and knowledge draws those of simulations (knowledge_playouts.hpp).
#include "search/uct.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace gdl {
namespace {

constexpr std::uint64_t LANE_STREAM = 1;
// Playouts that may end inside the tree before other searches have their turn.
constexpr int PLAYOUTS_AT_ONCE = 256;
// Length from which a path is searched for repeated states.
constexpr std::size_t LONG_PATH = 256;

// The nodes that one search adds. Later searches of the match reuse the room or add to it.
std::size_t expected_nodes(const PlayerSpec& player) {
  return static_cast<std::size_t>(std::ceil(static_cast<double>(player.playouts) * player.expansions)) + 1;
}

}  // namespace

UctSearch::UctSearch(const Circuit& circuit, const PlayerSpec& player, Workspace& workspace, int role,
                     std::uint64_t seed)
    : circuit_(circuit),
      workspace_(workspace),
      ranking_visits_(workspace.ranking_visits),
      solves_(player.solves),
      selection_(&workspace.selection),
      flights_(static_cast<std::size_t>(player.in_flight)),
      budget_(player),
      drawn_moves_(workspace.simulations.moves()),
      contents_{.priors = player.scorer != nullptr, .proofs = player.solves, .nodes = expected_nodes(player)},
      tree_(circuit, workspace.memory.pages, player.limits, contents_, seed),
      tree_seed_(seed),
      role_(role),
      player_(player) {
  for (Flight& flight : flights_) {
    flight.number = static_cast<std::int32_t>(&flight - flights_.data());
    flight.choice.resize(static_cast<std::size_t>(circuit.n_roles));
    flight.joint.resize(static_cast<std::size_t>(circuit.n_roles));
    flight.others.resize(static_cast<std::size_t>(circuit.n_roles));
    flight.values.resize(static_cast<std::size_t>(circuit.n_roles));
    flight.mixed.resize(static_cast<std::size_t>(circuit.n_roles));
  }
}

void UctSearch::begin(const std::uint64_t* state, const std::int32_t* last_rows, std::span<const std::int32_t> rows,
                      std::uint64_t seed, double now) {
  if (budget_.fills_tree()) {
    tree_ = Tree(circuit_, workspace_.memory.pages, {}, {}, tree_seed_);  // gives the memory of the old tree back first
    tree_ = Tree(circuit_, workspace_.memory.pages, player_.limits, contents_, tree_seed_);
    budget_.begin_tree();
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
  budget_.begin(now);
  root_waits_ = false;
  leaf_use_ = &workspace_.leaves.use(budget_.expected_playouts());
  if (tree_.node(root_).kind == NodeKind::Leaf) {
    open_node(root_, rows);
    root_waits_ = leaf_use_->moves && tree_.node(root_).chooser != SEVERAL_CHOOSERS;
  }
  seed_ = seed;
}

LaneTask UctSearch::start_playout(Flight& flight, double now) {
  if (result().solved() || budget_.spent(now)) return active_ == 0 ? LaneTask::Done : LaneTask::Rest;
  const std::uint64_t playout_seed = hash_combine(seed_, static_cast<std::uint64_t>(budget_.playouts()));
  flight.draws = Draws(playout_seed);
  flight.lane_seed = hash_combine(playout_seed, LANE_STREAM);
  flight.allowance = budget_.begin_playout();
  flight.draws_left = drawn_moves_;
  flight.active = true;
  flight.valued = false;
  ++active_;
  flight.path.clear();
  flight.several.clear();
  flight.start = tree_.now() + 1;
  flight.next = tree_.link_to(root_);
  return follow_link(flight);
}

// ---------------------------------------------------------------------------------------------------------------------
// Select
// ---------------------------------------------------------------------------------------------------------------------

// Calls alternate: one follows the link to the next node, the next one chooses moves there.
LaneTask UctSearch::select(Flight& flight, double now) {
  return flight.next.node == NO_NODE ? go_on(flight, now) : follow_link(flight);
}

LaneTask UctSearch::follow_link(Flight& flight) {
  const Link next = std::exchange(flight.next, {});
  if (!tree_.resolve(next)) return leave_tree(flight);
  flight.shown = false;
  if (!enter(flight, next.node)) {
    find_joint(flight);
    return LaneTask::LoadAndSimulate;
  }
  tree_.prefetch_rest(flight.at);
  return LaneTask::Select;
}

// Returns false where this playout has visited the node before, which happens if the rules do not end every match.
bool UctSearch::enter(Flight& flight, NodeId id) {
  flight.at = id;
  tree_.visit(id);
  if (flight.path.size() < LONG_PATH) return true;
  return std::none_of(flight.path.begin(), flight.path.end(), [id](const PathStep& step) { return step.node == id; });
}

LaneTask UctSearch::go_on(Flight& flight, double now) {
  const NodeKind kind = tree_.node(flight.at).kind;
  if (kind == NodeKind::Terminal || kind == NodeKind::Solved) {
    if (solves_) workspace_.solver.back_up(tree_, flight.path, flight.at);
    count(flight, tree_.goals(flight.at).data());
    return ++flight.ended_at_once % PLAYOUTS_AT_ONCE == 0 ? LaneTask::Wait : start_playout(flight, now);
  }
  if (kind == NodeKind::Leaf || (root_waits_ && flight.at == root_)) {
    return flight.shown ? LaneTask::Open : LaneTask::LoadAndOpen;
  }
  choose_moves(flight);
  flight.next = flight.way != nullptr ? *flight.way : tree_.link_of(flight.at, flight.choice.data());
  if (flight.next.node == NO_NODE) return leave_tree(flight);
  tree_.prefetch(flight.next.node);
  return LaneTask::Select;
}

void UctSearch::choose_moves(Flight& flight) {
  Node& node = tree_.node(flight.at);
  if (!node.ranked && node.visits >= ranking_visits_) rank_moves(flight);
  const Edges edges = tree_.edges(flight.at);
  workspace_.work.add(Operation::Pass);
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const std::uint32_t first = edges.role_start[role], moves = edges.role_start[role + 1] - first;
    std::uint32_t& choice = flight.choice[static_cast<std::size_t>(role)];
    choice = first;
    if (moves == 1) continue;
    if (role == circuit_.chance_role) {
      choice = first + static_cast<std::uint32_t>(flight.draws.below(moves));
      continue;
    }
    workspace_.work.add(Operation::Compare, moves);
    choice = selection_->choose(node, edges, role, flight);
  }
  ++node.visits;
  if (node.chooser == SEVERAL_CHOOSERS) {
    flight.path.push_back({nullptr, flight.at, static_cast<std::uint32_t>(flight.several.size()), SEVERAL_CHOOSERS});
    flight.way = nullptr;
    flight.several.insert(flight.several.end(), flight.choice.begin(), flight.choice.end());
    for (const std::uint32_t edge : flight.choice) ++edges.visits[edge];
  } else {
    const std::uint32_t edge = flight.choice[static_cast<std::size_t>(node.chooser)];
    flight.path.push_back({edges.sums + edge, flight.at, edge, node.chooser});
    ++edges.visits[edge];
    flight.way = edges.link_of(node.chooser, edge);
  }
}

void UctSearch::rank_moves(Flight& flight) {
  const bool at_root = flight.path.empty();
  if (!at_root) find_joint(flight);
  const std::vector<std::int32_t>& last_rows = at_root ? root_last_rows_ : flight.joint;
  workspace_.knowledge.rank(tree_, flight.at, last_rows.empty() ? nullptr : last_rows.data(), flights_,
                            workspace_.work);
}

// The moves chosen last lead to a state that is not in the tree, or is not linked to this node.
LaneTask UctSearch::leave_tree(Flight& flight) {
  find_joint(flight);
  return flight.shown ? LaneTask::Expand : LaneTask::LoadAndExpand;
}

void UctSearch::find_joint(Flight& flight) const {
  const PathStep& step = flight.path.back();
  const Edges edges = tree_.edges(step.node);
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const auto place = static_cast<std::size_t>(role);
    const std::uint32_t edge = step.sum == nullptr    ? flight.several[step.edge + place]
                               : role == step.chooser ? step.edge
                                                      : edges.role_start[role];
    flight.joint[place] = edges.rows[edge];
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Expand
// ---------------------------------------------------------------------------------------------------------------------

LaneTask UctSearch::expand(int number, const std::uint64_t* state, std::span<const std::uint64_t> derived,
                           const std::int32_t* goals, double now) {
  Flight& flight = flights_[number];
  flight.shown = true;
  NodeId id = tree_.find(flight.hash, state);
  if (id != NO_NODE) {
    link(flight, id);
    return enter(flight, id) ? go_on(flight, now) : LaneTask::Simulate;
  }
  if (flight.allowance > 0) id = tree_.add(flight.hash, state, oldest_start());
  if (id != NO_NODE) {
    --flight.allowance;
    ++nodes_added_;
    link(flight, id);
    flight.at = id;
    if (goals != nullptr) tree_.make_terminal(id, {goals, flight.choice.size()});
    if (goals != nullptr && solves_) workspace_.solver.back_up(tree_, flight.path, id);
  }
  if (goals != nullptr) return back_up(number, goals, now);
  if (id != NO_NODE && (flight.allowance > 0 || leaf_use_->moves)) return go_on(flight, now);
  return leaf_use_->nodes ? value_state(flight, state, derived, now) : LaneTask::Simulate;
}

// The next playout that chooses these moves finds the child without the rules.
void UctSearch::link(const Flight& flight, NodeId child) {
  if (flight.way != nullptr) {
    *flight.way = tree_.link_to(child);
  } else {
    tree_.link_jointly(flight.at, flight.choice.data(), child);
  }
}

LaneTask UctSearch::open(int number, std::span<const std::int32_t> rows, std::span<const std::uint64_t> derived,
                         double now) {
  Flight& flight = flights_[number];
  flight.shown = true;
  if (root_waits_ && flight.at == root_) {
    root_waits_ = false;
    return LaneTask::ValueMoves;
  }
  if (tree_.node(flight.at).kind != NodeKind::Leaf) return go_on(flight, now);
  open_node(flight.at, rows);
  if (!leaf_use_->moves) return go_on(flight, now);
  find_joint(flight);
  if (tree_.node(flight.at).chooser != SEVERAL_CHOOSERS) return LaneTask::ValueMoves;
  return value_state(flight, tree_.state(flight.at), derived, now);
}

void UctSearch::open_node(NodeId id, std::span<const std::int32_t> rows) {
  workspace_.work.add(Operation::Open);
  workspace_.work.add(Operation::List, static_cast<std::int64_t>(rows.size()));
  for (int role = 0; role < circuit_.n_roles; ++role)
    rows_of_role(circuit_, role, rows);  // throws where a role has no move
  tree_.open(id, rows);
}

// The time since which nodes may be on the path of a playout in flight; such nodes are not evicted.
std::uint64_t UctSearch::oldest_start() const {
  std::uint64_t oldest = tree_.now() + 1;
  for (const Flight& flight : flights_) {
    if (flight.active) oldest = std::min(oldest, flight.start);
  }
  return oldest;
}

// ---------------------------------------------------------------------------------------------------------------------
// Value
// ---------------------------------------------------------------------------------------------------------------------

LaneTask UctSearch::value_state(Flight& flight, const std::uint64_t* state, std::span<const std::uint64_t> derived,
                                double now) {
  workspace_.work.add(Operation::Value);
  workspace_.leaves.value_state(state, derived, flight.values);
  return take_values(flight, now);
}

PositionMoves UctSearch::valued_position(int number, std::span<const std::int32_t> rows) {
  Flight& flight = flights_[number];
  const std::int32_t chooser = tree_.node(flight.at).chooser;
  for (int role = 0; role < circuit_.n_roles; ++role) {
    flight.others[static_cast<std::size_t>(role)] = rows_of_role(circuit_, role, rows)[0];
  }
  return {tree_.state(flight.at), flight.others, chooser, rows_of_role(circuit_, chooser, rows)};
}

// The node is worth what its best move is. At the root the playout goes on.
LaneTask UctSearch::value_moves(int number, const Afterstates& found, std::size_t position,
                                std::span<const std::int32_t> rows, double now) {
  Flight& flight = flights_[number];
  const auto own = rows_of_role(circuit_, tree_.node(flight.at).chooser, rows);
  workspace_.work.add(Operation::Value, static_cast<std::int64_t>(own.size()));
  workspace_.leaves.value_moves(tree_, flight.at, own, found, position, solves_ ? &workspace_.solver : nullptr,
                                flight.values);
  if (tree_.node(flight.at).kind != NodeKind::Solved) {
    return flight.at == root_ ? go_on(flight, now) : take_values(flight, now);
  }
  workspace_.solver.back_up(tree_, flight.path, flight.at);
  return back_up(number, tree_.goals(flight.at).data(), now);
}

// Goes on with the values of a new node: a playout adds to them, or they are all that there is.
LaneTask UctSearch::take_values(Flight& flight, double now) {
  flight.valued = true;
  return leaf_use_->simulates ? LaneTask::Simulate : back_up(flight.number, nullptr, now);
}

// ---------------------------------------------------------------------------------------------------------------------
// Simulate
// ---------------------------------------------------------------------------------------------------------------------

// Draws the moves of roles with several; the lane draws the moves after the first drawn_moves_ itself, uniformly.
void UctSearch::draw_moves(int number, const std::uint64_t* state, std::span<const std::int32_t> rows) {
  Flight& flight = flights_[number];
  --flight.draws_left;
  SearchMemory& memory = workspace_.memory;
  memory.last_rows = flight.joint;
  const PlayoutState at{state, memory.last_rows.data(), role_};
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const auto own = rows_of_role(circuit_, role, rows);
    std::int32_t& row = flight.joint[static_cast<std::size_t>(role)];
    row = own[0];
    if (own.size() == 1) continue;
    row = own[role == circuit_.chance_role ? flight.draws.below(own.size())
                                           : workspace_.simulations.draw(at, role, own, flight.draws, workspace_.work)];
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Back up
// ---------------------------------------------------------------------------------------------------------------------

LaneTask UctSearch::back_up(int number, const std::int32_t* goals, double now) {
  Flight& flight = flights_[number];
  if (flight.valued) {
    if (goals != nullptr) LeafValues::mix(leaf_use_->weight, flight.values, goals);
    LeafValues::round(flight.values, flight.draws, flight.mixed.data());
    goals = flight.mixed.data();
  }
  count(flight, goals);
  return start_playout(flight, now);
}

// Counts the goals; the visits were counted when the moves were chosen.
void UctSearch::count(Flight& flight, const std::int32_t* goals) {
  ++workspace_.playouts;
  workspace_.work.add(Operation::Playout);
  --active_;
  flight.active = false;
  for (const PathStep& step : flight.path) {
    if (step.sum != nullptr) {
      *step.sum += static_cast<std::uint32_t>(goals[step.chooser]);
      continue;
    }
    const Edges edges = tree_.edges(step.node);
    for (std::size_t role = 0; role < flight.choice.size(); ++role) {
      edges.sums[flight.several[step.edge + role]] += static_cast<std::uint32_t>(goals[role]);
    }
  }
}

std::vector<std::int32_t> UctSearch::root_rows_in_flight(int role) const {
  std::vector<std::int32_t> rows;
  const Edges edges = tree_.edges(root_);
  for (const Flight& flight : flights_) {
    if (!flight.active) continue;
    for (const PathStep& step : flight.path) {
      if (step.node != root_) continue;
      for_each_choice(flight, step, [&rows, &edges, role](std::int32_t chooser, std::uint32_t edge) {
        if (chooser == role) rows.push_back(edges.rows[edge]);
      });
    }
  }
  return rows;
}

// Takes back the visits of playouts that will not end.
void UctSearch::abandon() {
  for (Flight& flight : flights_) {
    if (!flight.active) continue;
    flight.active = false;
    --active_;
    budget_.withdraw_playout();
    for (const PathStep& step : flight.path) {
      const Edges edges = tree_.edges(step.node);
      --tree_.node(step.node).visits;
      for_each_choice(flight, step, [&edges](std::int32_t, std::uint32_t edge) { --edges.visits[edge]; });
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Prefetch: memory that the steps of a playout read before their turn
// ---------------------------------------------------------------------------------------------------------------------

void UctSearch::prefetch_selection() const {
  __builtin_prefetch(this);
  prefetch_bytes(&tree_, 2 * CACHE_LINE);
}

void UctSearch::look_up(int number, const std::uint64_t* state) {
  Flight& flight = flights_[number];
  flight.hash = tree_.hash(state);
  tree_.prefetch_bucket(flight.hash);
}

void UctSearch::prefetch() const { prefetch_bytes(this, offset_of_rarely_read()); }

void UctSearch::prefetch_back_up(int number, int round) const {
  const Flight& flight = flights_[number];
  if (round == 0) {
    flight.prefetch();
    tree_.prefetch_blocks();
    tree_.prefetch(root_);
  } else if (round == 1) {
    prefetch_bytes(flight.path.data(), flight.path.size() * sizeof(PathStep));
    __builtin_prefetch(flight.choice.data());
    tree_.prefetch_rest(root_);
  } else {
    for (const PathStep& step : flight.path) __builtin_prefetch(step.sum, 1);
  }
}

}  // namespace gdl
