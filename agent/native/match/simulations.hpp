// A record of the simulations in progress: when each began, and how many moves it may still make where it is to be cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "circuit/circuit.hpp"
#include "match/lane_mask.hpp"
#include "match/lane_readings.hpp"
#include "match/lane_schedule.hpp"

namespace gdl {

class Simulations {
 public:
  explicit Simulations(std::size_t lanes) : begun_(lanes), moves_left_(lanes), limited_(lanes), at_depth_(lanes) {}

  // `step`: the present step; `depth`: joint moves after which the simulation is cut, 0: never.
  void begin(int lane, std::int64_t step, std::int64_t depth);

  // Counts a joint move of the lanes that simulate.
  void count_moves(const LaneMask& simulating);
  // Takes the lanes whose simulations have come to their depth out of their activities. The lanes show no terminal
  // state.
  void take_cut(LaneActivities& activities, LaneMask& cut) const {
    cut.take(activities.playing, at_depth_);
    cut.take(activities.drawing, at_depth_);
  }

  // Gives up where the rules cannot end a simulation: throws RuleViolation where a role has no legal move, or where the
  // simulation has gone on for more than a million moves. Called now and then (STEPS_BETWEEN_CHECKS); lists legal moves
  // of long simulations.
  void check_ends(const Circuit& circuit, const LaneMask& simulating, std::int64_t step, LaneReadings& readings) const;
  static constexpr std::int64_t STEPS_BETWEEN_CHECKS = 1 << 10;

 private:
  std::vector<std::int64_t> begun_;       // [lanes] step
  std::vector<std::int64_t> moves_left_;  // [lanes] joint moves that a simulation with a depth may still make
  LaneMask limited_;                      // lanes whose simulations have a depth
  LaneMask at_depth_;                     // those of them that may make no more moves
};

}  // namespace gdl
