// A record of the simulations in progress: when each began, and the moves made in it where a player counts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/lane_engine.hpp"
#include "match/joint_moves.hpp"
#include "match/lane_mask.hpp"
#include "match/lane_readings.hpp"

namespace gdl {

class Simulations {
 public:
  explicit Simulations(std::size_t lanes) : begun_(lanes) { moves_.rows.resize(lanes); }

  // `step`: the present step.
  void begin(int lane, std::int64_t step) {
    begun_[static_cast<std::size_t>(lane)] = step;
    moves_.rows[static_cast<std::size_t>(lane)].clear();
  }

  // Notes the moves of a step: those that the lanes of `chosen` chose themselves, and the joint moves of `drawn`.
  void note_moves(const LaneEngine& engine, const LaneMask& chosen, const LaneMask& drawn, const JointMoves& joints);
  // Rows of all joint moves noted since the simulation began.
  std::span<const std::int32_t> moves(int lane) const { return moves_.rows[static_cast<std::size_t>(lane)]; }

  // Gives up where the rules cannot end a simulation: throws RuleViolation where a role has no legal move, or where the
  // simulation has gone on for more than a million moves. Called now and then (STEPS_BETWEEN_CHECKS); lists legal moves
  // of long simulations.
  void check_ends(const Circuit& circuit, const LaneMask& simulating, std::int64_t step, LaneReadings& readings) const;
  static constexpr std::int64_t STEPS_BETWEEN_CHECKS = 1 << 10;

 private:
  std::vector<std::int64_t> begun_;  // [lanes] step
  LegalLists moves_;                 // [lanes]
};

}  // namespace gdl
