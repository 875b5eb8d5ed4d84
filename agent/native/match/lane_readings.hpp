// The states, goals and legal moves that lanes show, read from the engine when a step asks for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/lane_engine.hpp"
#include "match/lane_mask.hpp"

namespace gdl {

// Lanes that were not asked for keep what they showed before.
class LaneReadings {
 public:
  // The engine must outlive the readings.
  LaneReadings(const Circuit& circuit, const LaneEngine& engine)
      : engine_(engine),
        words_(static_cast<std::size_t>(circuit.state_words())),
        n_roles_(static_cast<std::size_t>(circuit.n_roles)),
        states_(static_cast<std::size_t>(engine.lanes()) * words_),
        goals_(static_cast<std::size_t>(engine.lanes()) * n_roles_) {
    lists_.rows.resize(static_cast<std::size_t>(engine.lanes()));
  }

  void read_states(const LaneMask& lanes) { engine_.read_states(lanes.words(), states_.data()); }
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
  // [n_roles]
  const std::int32_t* goals(int lane) const { return goals_.data() + static_cast<std::size_t>(lane) * n_roles_; }
  // Legal rows of all roles, ascending.
  std::span<const std::int32_t> rows(int lane) const { return lists_.rows[static_cast<std::size_t>(lane)]; }

 private:
  const LaneEngine& engine_;
  std::size_t words_;
  std::size_t n_roles_;
  std::vector<std::uint64_t> states_;  // [lanes, words]
  std::vector<std::int32_t> goals_;    // [lanes, n_roles]
  LegalLists lists_;
};

}  // namespace gdl
