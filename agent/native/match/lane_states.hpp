// The state of all lanes: the states, goals and legal moves that were read from the engine, the joint moves chosen for
// lanes, the lanes whose match or playout has ended, and the simulations in progress.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/lane_engine.hpp"
#include "match/lane_schedule.hpp"

namespace gdl {

// The states, goals and legal moves that lanes show, read from the engine when a step asks for them.
// Lanes that were not asked for keep what they showed before.
class LaneReadings {
 public:
  // The engine and the facts must outlive the readings.
  LaneReadings(const Circuit& circuit, LaneEngine& engine, const DerivedFacts& facts)
      : engine_(engine),
        facts_(facts),
        words_(static_cast<std::size_t>(circuit.state_words())),
        n_roles_(static_cast<std::size_t>(circuit.n_roles)),
        states_(static_cast<std::size_t>(engine.lanes()) * words_),
        derived_(static_cast<std::size_t>(engine.lanes()) * facts.words()),
        goals_(static_cast<std::size_t>(engine.lanes()) * n_roles_) {
    lists_.rows.resize(static_cast<std::size_t>(engine.lanes()));
  }

  void read_states(const LaneMask& lanes) { engine_.read_states(lanes.words(), states_.data()); }
  void read_derived(const LaneMask& lanes) {
    if (lanes.any()) engine_.read_derived(facts_, lanes.words(), derived_.data());
  }
  void list_legal(const LaneMask& lanes) { engine_.list_legal(lanes.words(), lists_); }
  void list_preferred(const LaneMask& lanes, std::size_t kind) {
    if (lanes.any()) engine_.list_preferred(lanes.words(), kind, lists_);
  }
  // Roles without a goal get 0.
  void read_goals(const LaneMask& lanes) {
    lanes.for_each([this](int lane) {
      std::int32_t* goals = goals_.data() + static_cast<std::size_t>(lane) * n_roles_;
      engine_.goals(lane, goals);
      for (std::size_t role = 0; role < n_roles_; ++role) goals[role] = std::max(goals[role], 0);
    });
  }

  // Packed.
  const std::uint64_t* state(int lane) const { return states_.data() + static_cast<std::size_t>(lane) * words_; }
  // Packed derived facts.
  std::span<const std::uint64_t> derived(int lane) const {
    return {derived_.data() + static_cast<std::size_t>(lane) * facts_.words(), facts_.words()};
  }
  // [n_roles]
  const std::int32_t* goals(int lane) const { return goals_.data() + static_cast<std::size_t>(lane) * n_roles_; }
  // Legal rows of all roles, ascending.
  std::span<const std::int32_t> rows(int lane) const { return lists_.rows[static_cast<std::size_t>(lane)]; }

 private:
  LaneEngine& engine_;
  const DerivedFacts& facts_;
  std::size_t words_;
  std::size_t n_roles_;
  std::vector<std::uint64_t> states_;   // [lanes, words]
  std::vector<std::uint64_t> derived_;  // [lanes, words of facts_]
  std::vector<std::int32_t> goals_;     // [lanes, n_roles]
  LegalLists lists_;
};

// The joint moves that searches and matches have chosen for lanes to make.
class JointMoves {
 public:
  JointMoves(std::size_t lanes, int n_roles) : n_roles_(static_cast<std::size_t>(n_roles)), rows_(lanes * n_roles_) {}

  // `joint`: [n_roles] rows.
  void keep(int lane, std::span<const std::int32_t> joint) { std::ranges::copy(joint, begin(lane)); }
  std::span<const std::int32_t> at(int lane) const { return {begin(lane), n_roles_}; }

  // Lets the lanes make their joint moves when they advance.
  void make(LaneEngine& engine, const LaneMask& lanes) const {
    lanes.for_each([this, &engine](int lane) {
      for (const std::int32_t row : at(lane)) engine.force(lane, row);
    });
  }

 private:
  std::int32_t* begin(int lane) { return rows_.data() + static_cast<std::size_t>(lane) * n_roles_; }
  const std::int32_t* begin(int lane) const { return rows_.data() + static_cast<std::size_t>(lane) * n_roles_; }

  std::size_t n_roles_;
  std::vector<std::int32_t> rows_;  // [lanes, n_roles]
};

// Lanes that show a terminal state and wait until it pays to ask for goals.
// The first goals that are asked for in a step have a price, whatever the number of lanes (LaneEngine::goal_cost()).
class EndedLanes {
 public:
  // `goal_cost`: the price, in steps of all lanes; 0: lanes never wait.
  EndedLanes(std::size_t lanes, double goal_cost)
      : simulations_(lanes), arrivals_(lanes), lanes_(static_cast<double>(lanes)), goal_cost_(goal_cost) {}

  void clear();

  // Takes the lanes that show a terminal state out of their activities.
  void hold(LaneActivities& activities, const LaneMask& terminal);

  // Whether goals are asked for in this step; called once in every step. Waiting and asking cost the same in the long
  // run where they have cost the same so far. The result of a match with one lane does not depend on it.
  bool due(const LaneSchedule& schedule);

  // Ends the waiting: adds the lanes held to the simulations that ended and to the lanes that arrived.
  void release(LaneMask& simulations, LaneMask& arriving);

  const LaneMask& simulations() const { return simulations_; }
  const LaneMask& arrivals() const { return arrivals_; }

 private:
  LaneMask simulations_;
  LaneMask arrivals_;
  double waited_ = 0;  // steps of all lanes that the waiting has cost
  double lanes_;
  double goal_cost_;
};

// When each of the simulations in progress began, and a check that they end.
class Simulations {
 public:
  explicit Simulations(std::size_t lanes) : begun_(lanes) {}

  // `step`: the present step.
  void begin(int lane, std::int64_t step) { begun_[static_cast<std::size_t>(lane)] = step; }

  // Gives up where the rules cannot end a simulation: throws RuleViolation where a role has no legal move, or where the
  // simulation has gone on for more than a million moves. Called now and then (STEPS_BETWEEN_CHECKS); lists legal moves
  // of long simulations.
  void check_ends(const Circuit& circuit, const LaneMask& simulating, std::int64_t step, LaneReadings& readings) const;
  static constexpr std::int64_t STEPS_BETWEEN_CHECKS = 1 << 10;

 private:
  std::vector<std::int64_t> begun_;  // [lanes] step
};

}  // namespace gdl
