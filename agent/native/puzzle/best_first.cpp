#include "puzzle/best_first.hpp"

#include <algorithm>
#include <utility>

namespace gdl {
namespace {

constexpr std::size_t MOST_EXPANDED = 256;  // states in a step
constexpr std::size_t MOST_LIST_BYTES =
    1024;                                    // that opening a state adds to lists, while no list has a new largest key
constexpr std::size_t LATER_SHARE = 8;       // part of the memory for searches after the first
constexpr std::uint32_t MOST_COUNTED = 255;  // legal moves that an order tells apart

}  // namespace

BestFirstSearch::BestFirstSearch(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                 std::size_t max_bytes)
    : circuit_(circuit),
      relevance_(find_relevance(circuit)),
      largest_goal_(circuit.largest_goals().front()),
      max_bytes_(max_bytes),
      expander_(circuit, std::move(programs)),
      distance_(GoalDistance::of_largest_goal(circuit, Finality::Counts)),
      table_(relevance_.lasting),
      novelty_(static_cast<std::size_t>(circuit.state_words())),
      replay_(circuit) {}

void BestFirstSearch::begin(std::span<const std::uint64_t> root, std::uint64_t seed) {
  root_.assign(root.begin(), root.end());
  best_ = {};
  generated_ = 0;
  proven_ = dead_ends_ = false;
  draws_ = Draws(seed);
  random_ = false;
  lasting_ = relevance_.has_counter();
  restart();
}

void BestFirstSearch::restart() {
  table_ = StateTable(lasting_ ? relevance_.lasting : relevance_.relevant);
  for (OpenList& list : open_) list.clear();
  again_.clear();
  novelty_.clear();
  next_ = 0;
  turn_ = 0;
  ended_ = false;
  table_.add(root_.data(), table_.hash(root_.data()), {});
  promising_ = 0;
  least_distance_ = distance_(root_.data());
  novelty_.note(root_.data(), least_distance_);
}

std::size_t BestFirstSearch::bytes() const {
  std::size_t bytes = table_.bytes() + again_.size() * sizeof(StateTable::Id);
  for (const OpenList& list : open_) bytes += list.bytes();
  return bytes;
}

void BestFirstSearch::step() {
  if (ended_) return;
  choose();
  if (chosen_.empty()) {
    if (std::exchange(lasting_, false)) {
      restart();
      return;
    }
    ended_ = proven_ = true;
    return;
  }
  states_.clear();
  for (const StateTable::Id id : chosen_) states_.push_back(table_.state(id));
  const auto successors = expander_.expand(states_);
  generated_ += static_cast<std::int64_t>(successors.size());
  branching_ += (static_cast<double>(successors.size()) / static_cast<double>(chosen_.size()) - branching_) / 16;
  hashes_.clear();
  for (const Successor& successor : successors) {
    hashes_.push_back(table_.hash(successor.state));
    table_.prefetch(hashes_.back());
  }
  for (std::size_t i = 0; i < successors.size() && !ended_; ++i) {
    if (receive(successors[i], chosen_[successors[i].from], hashes_[i])) continue;
    random_ = true;
    lasting_ = relevance_.has_counter();
    restart();
    return;
  }
}

void BestFirstSearch::choose() {
  chosen_.clear();
  const auto wanted = static_cast<std::size_t>(
      std::clamp(static_cast<double>(expander_.lanes()) / std::max(branching_, 1.0), 1.0, double{MOST_EXPANDED}));
  for (std::size_t tries = 0; tries < Lists && chosen_.empty(); ++tries) {
    const auto list = static_cast<List>(turn_);
    turn_ = (turn_ + 1) % Lists;
    StateTable::Id id;
    while (chosen_.size() < wanted && take(list, id)) {
      table_.node(id).expanded = true;
      chosen_.push_back(id);
    }
  }
}

// Takes the next state of a list that was not expanded; returns whether there is one.
bool BestFirstSearch::take(List list, StateTable::Id& id) {
  if (list == FirstCome) {
    if (!again_.empty()) {
      id = again_.back();
      again_.pop_back();
      return true;
    }
    while (next_ < table_.size()) {
      id = next_++;
      if (!table_.node(id).expanded) return true;
    }
    return false;
  }
  while (!open_[list].empty()) {
    id = open_[list].pop(random_ ? &draws_ : nullptr);
    if (!table_.node(id).expanded) return true;
  }
  return false;
}

bool BestFirstSearch::receive(const Successor& successor, StateTable::Id parent, std::uint64_t hash) {
  if (successor.terminal) {
    found_end(successor, parent);
    return true;
  }
  if (successor.moves == 0) {
    dead_ends_ = true;
    return true;
  }
  const StateTable::ReachedState node{parent, successor.row, table_.node(parent).depth + 1, false};
  const StateTable::Id known = table_.find(successor.state, hash);
  if (known == StateTable::NONE) {
    const std::size_t room = random_ ? max_bytes_ / LATER_SHARE : max_bytes_;
    if (table_.full() || bytes() + table_.growth() + MOST_LIST_BYTES > room) return false;
    open(table_.add(successor.state, hash, node), successor);
  } else if (node.depth < table_.node(known).depth) {
    if (table_.node(known).expanded) again_.push_back(known);
    table_.replace(known, successor.state, node);
  }
  return true;
}

void BestFirstSearch::found_end(const Successor& successor, StateTable::Id parent) {
  const std::int32_t goal = std::max(successor.goal, 0);
  if (goal < best_.goal || (goal == best_.goal && table_.node(parent).depth + 1 >= best_.rows.size())) return;
  // A shorter way to an earlier state may have been found since; then the line is shorter, and a step counter is
  // behind.
  std::vector<std::int32_t> rows = table_.line_to(parent);
  rows.push_back(successor.row);
  Line line = replay_(root_, rows);
  if (!line.better_than(best_)) return;
  best_ = std::move(line);
  if (best_.goal >= largest_goal_) ended_ = proven_ = true;
}

void BestFirstSearch::open(StateTable::Id id, const Successor& successor) {
  const std::int32_t distance = distance_(successor.state);
  if (distance < least_distance_) {
    least_distance_ = distance;
    promising_ = id;
  }
  const std::uint32_t stuck = MOST_COUNTED - std::min(static_cast<std::uint32_t>(successor.moves), MOST_COUNTED);
  const auto by_distance = static_cast<std::uint32_t>(std::min(distance, 255)) * 256 + stuck;
  if (distance < GoalDistance::IMPOSSIBLE) {
    open_[ByDistance].push(by_distance, id);
    if (novelty_.note(successor.state, distance)) open_[ByNovelty].push(by_distance, id);
  }
  if (circuit_.goal_value.size() > 2) {
    const auto missing = static_cast<std::uint32_t>(100 - std::max(successor.goal, 0)) * 256;
    open_[ByGoal].push(missing + stuck, id);
    open_[ByGoalTight].push(missing + MOST_COUNTED - stuck, id);
  }
}

}  // namespace gdl
