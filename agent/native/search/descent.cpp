// The way of a playout down the tree, in stages between which memory answers: other searches go on meanwhile.
#include <algorithm>
#include <utility>

#include "search/search.hpp"

namespace gdl {
namespace {

// Playouts that end inside the tree, before other searches get their turn.
constexpr int PLAYOUTS_AT_ONCE = 256;
// Paths this long are searched for states that come again.
constexpr std::size_t LONG_PATH = 256;

}  // namespace

bool Search::enter(Flight& flight, NodeId id) {
  flight.at = id;
  tree_.visit(id);
  if (flight.path.size() < LONG_PATH) return true;
  return std::none_of(flight.path.begin(), flight.path.end(), [id](const Step& step) { return step.node == id; });
}

LaneTask Search::descend(Flight& flight, double now) {
  return flight.next.node == NO_NODE ? go_on(flight, now) : arrive_at_next(flight);
}

LaneTask Search::arrive_at_next(Flight& flight) {
  const Link next = std::exchange(flight.next, {});
  if (!tree_.resolve(next)) return leave_tree(flight);
  flight.shown = false;
  if (!enter(flight, next.node)) {
    note_joint(flight);
    return LaneTask::LoadAndPlay;
  }
  tree_.prefetch_rest(flight.at);
  return LaneTask::Descend;
}

LaneTask Search::go_on(Flight& flight, double now) {
  const NodeKind kind = tree_.node(flight.at).kind;
  if (kind == NodeKind::Terminal || kind == NodeKind::Solved) {
    if (player_.solves) workspace_.solver.back_up(tree_, flight.path, flight.at);
    back_up(flight, tree_.goals(flight.at).data());
    return ++flight.ended_at_once % PLAYOUTS_AT_ONCE == 0 ? LaneTask::Wait : next_playout(flight, now);
  }
  if (kind == NodeKind::Leaf) return flight.shown ? LaneTask::List : LaneTask::LoadAndList;
  choose(flight);
  flight.next = flight.way != nullptr ? *flight.way : tree_.link_of(flight.at, flight.choice.data());
  if (flight.next.node == NO_NODE) return leave_tree(flight);
  tree_.prefetch(flight.next.node);
  return LaneTask::Descend;
}

LaneTask Search::leave_tree(Flight& flight) {
  note_joint(flight);
  return flight.shown ? LaneTask::Move : LaneTask::LoadAndMove;
}

void Search::note_joint(Flight& flight) const {
  const Step& step = flight.path.back();
  const Edges edges = tree_.edges(step.node);
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const auto place = static_cast<std::size_t>(role);
    const std::uint32_t edge = step.sum == nullptr    ? flight.several[step.edge + place]
                               : role == step.chooser ? step.edge
                                                      : edges.role_start[role];
    flight.joint[place] = edges.rows[edge];
  }
}

void Search::choose(Flight& flight) {
  Node& node = tree_.node(flight.at);
  if (!node.ranked && node.visits >= ranking_visits_) {
    const bool at_root = flight.path.empty();
    if (!at_root) note_joint(flight);
    const std::int32_t* last_rows = at_root ? root_last_rows_.data() : flight.joint.data();
    workspace_.knowledge.rank(tree_, flight.at, at_root && root_last_rows_.empty() ? nullptr : last_rows, flights_,
                              workspace_.work);
  }
  const Edges edges = tree_.edges(flight.at);
  for (const auto& each : policies_.statistics) each->enter(flight);
  workspace_.work.add(Operation::Pass);
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const std::uint32_t first = edges.role_start[role], moves = edges.role_start[role + 1] - first;
    std::uint32_t& choice = flight.choice[static_cast<std::size_t>(role)];
    choice = first;
    if (moves == 1) continue;
    workspace_.work.add(Operation::Compare, moves);
    choice = policies_.selection->choose(node, edges, role, flight);
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
  for (const auto& each : policies_.statistics) each->note_selection(flight);
}

void Search::draw_moves(int number, const std::uint64_t* state, std::span<const std::int32_t> rows) {
  Flight& flight = flights_[number];
  --flight.draws_left;
  SearchMemory& memory = workspace_.memory;
  memory.last_rows = flight.joint;
  memory.roles.clear();
  const PlayoutState at{state, memory.last_rows.data()};
  for (int role = 0; role < circuit_.n_roles; ++role) {
    const auto own = rows_of_role(circuit_, role, rows);
    std::int32_t& row = flight.joint[static_cast<std::size_t>(role)];
    row = own[0];
    if (own.size() == 1) continue;
    row = own[policies_.playouts->draw(flight, at, role, own)];
    memory.roles.push_back(role);
  }
  for (const auto& each : policies_.statistics) each->note_draw(flight, memory.roles);
}

void Search::reach(int number, int round) const {
  const Flight& flight = flights_[number];
  if (round == 0) {
    flight.prefetch();
    tree_.prefetch_blocks();
    tree_.prefetch(root_);
  } else if (round == 1) {
    prefetch_bytes(flight.path.data(), flight.path.size() * sizeof(Step));
    __builtin_prefetch(flight.choice.data());
    tree_.prefetch_rest(root_);
  } else {
    for (const Step& step : flight.path) __builtin_prefetch(step.sum, 1);
  }
}

void Search::reach_state(int number, const std::uint64_t* state) {
  Flight& flight = flights_[number];
  flight.hash = tree_.hash(state);
  tree_.prefetch_bucket(flight.hash);
}

}  // namespace gdl
