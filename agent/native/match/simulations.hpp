// When each of the simulations in progress began, and a check that they end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "circuit/circuit.hpp"
#include "match/lane_mask.hpp"
#include "match/lane_readings.hpp"

namespace gdl {

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
