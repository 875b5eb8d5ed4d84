// Best-first search of the states that a single player can reach.
//
// Several open lists share the states that were reached, and take turns (Röger & Helmert 2010): first come first
// served, which is close to breadth-first search and finds short lines; the distance to the goal; novelty (Lipovetzky &
// Geffner 2012); the goal that the state has already. States that a list has expanded are not expanded again, unless a
// shorter way to them was found.
//
// When the states fill the memory, the search forgets them and begins again, with a part of the memory and random
// choices among states of equal order, as often as that happens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "puzzle/expander.hpp"
#include "puzzle/goal_distance.hpp"
#include "puzzle/line.hpp"
#include "puzzle/novelty.hpp"
#include "puzzle/open_list.hpp"
#include "puzzle/relevance.hpp"
#include "puzzle/replay.hpp"
#include "puzzle/state_table.hpp"
#include "random/draws.hpp"

namespace gdl {

class BestFirstSearch {
 public:
  // The circuit has one role, and must outlive this object. The programs must ignore turns.
  BestFirstSearch(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, std::size_t max_bytes);

  // Forgets everything and starts from a state that is not terminal.
  void begin(std::span<const std::uint64_t> root, std::uint64_t seed);
  // Expands some states. Does nothing after the end.
  void step();

  // Whether there is nothing left to do, because all states were expanded or the largest goal was found.
  bool ended() const { return ended_; }
  // Whether the memory was full once.
  bool began_again() const { return random_; }
  // Whether no line brings more than the best one.
  bool proven() const { return proven_; }
  // Whether every line comes to a state that is not terminal and has no legal move.
  bool stuck() const { return proven_ && best_.goal < 0 && dead_ends_; }
  // The line to the end with the largest goal, and among equals the shortest that was found. Its goal is -1 if no end
  // was found.
  const Line& best() const { return best_; }
  // The line to the state that is closest to the largest goal.
  std::vector<std::int32_t> promising() const { return table_.line_to(promising_); }
  // States that moves have led to, also if they were known.
  std::int64_t generated() const { return generated_; }
  std::size_t distinct() const { return table_.size(); }
  std::size_t bytes() const;

 private:
  enum List : std::size_t { FirstCome, ByDistance, ByNovelty, ByGoal, ByGoalTight, Lists };

  void restart();
  // The next states to expand, of the list whose turn it is; empty if all lists are.
  void choose();
  bool take(List list, StateTable::Id& id);
  // Returns whether there was room for the successor.
  bool receive(const Successor& successor, StateTable::Id parent, std::uint64_t hash);
  void found_end(const Successor& successor, StateTable::Id parent);
  void open(StateTable::Id id, const Successor& successor);

  const Circuit& circuit_;
  const Relevance relevance_;
  const std::int32_t largest_goal_;
  const std::size_t max_bytes_;
  Expander expander_;
  GoalDistance distance_;
  StateTable table_;
  Novelty novelty_;
  Replay replay_;
  std::array<OpenList, Lists> open_;
  std::vector<StateTable::Id> again_;  // states to be expanded again, for a shorter way to them was found
  StateTable::Id next_ = 0;            // the first state that FirstCome has not looked at
  std::size_t turn_ = 0;
  double branching_ = 1;  // mean number of successors
  Draws draws_;
  bool random_ = false;   // whether the memory was full before
  bool lasting_ = false;  // whether step counters are ignored
  std::vector<std::uint64_t> root_;
  std::vector<StateTable::Id> chosen_;        // scratch
  std::vector<const std::uint64_t*> states_;  // scratch
  std::vector<std::uint64_t> hashes_;         // scratch
  StateTable::Id promising_ = 0;
  std::int32_t least_distance_ = 0;
  Line best_;
  std::int64_t generated_ = 0;
  bool ended_ = true;
  bool proven_ = false;
  bool dead_ends_ = false;  // whether states without legal moves were seen that are not terminal
};

}  // namespace gdl
