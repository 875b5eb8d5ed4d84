// A game as a state machine, one state at a time. Lanes are for many.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "circuit.hpp"

namespace gdl {

// States are packed: fluent f is bit f % 64 of word f / 64, state_words() words. Not for several threads at once: the
// last state's gate values are kept for the next question about it.
class Machine {
 public:
  // Throws std::invalid_argument for a malformed circuit.
  explicit Machine(Circuit circuit);

  const Circuit& circuit() const { return circuit_; }
  const std::vector<std::uint64_t>& initial() const { return initial_; }

  // Throw std::invalid_argument unless the state has state_words() words and no bit past the last fluent.
  bool terminal(std::span<const std::uint64_t> state);
  // Goal of each role, -1 where the rules give none.
  std::vector<std::int32_t> goals(std::span<const std::uint64_t> state);
  // Legal rows of one role, ascending.
  std::vector<std::int32_t> legal(std::span<const std::uint64_t> state, std::int32_t role);
  // The state after one row per role, in the order of roles. Rows need not be legal.
  std::vector<std::uint64_t> next(std::span<const std::uint64_t> state, std::span<const std::int32_t> joint);

 private:
  void evaluate(std::span<const std::uint64_t> state);
  void run_gates(std::int32_t first, std::int32_t last);
  void run_phase(std::int32_t first, std::int32_t last);
  void run_loop(Loop loop);
  bool value(Literal literal) const { return values_[literal] != 0; }
  void set_value(std::size_t slot, bool value);

  Circuit circuit_;
  std::vector<std::uint64_t> initial_;
  std::vector<std::uint8_t> values_;                    // [literal] 0 or 1: no complement to take when reading
  std::vector<std::uint64_t> evaluated_;                // the state whose phase A is in values_
  std::vector<std::vector<std::int32_t>> sets_of_row_;  // [row]
};

}  // namespace gdl
