// Evaluates a circuit on one state at a time: a byte per literal, no lanes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"

namespace gdl {

// It keeps the gate values of the last state for the next question about it, so it is not for several threads at once.
class StateEvaluator {
 public:
  // The circuit must outlive it.
  explicit StateEvaluator(const Circuit& circuit);

  // Runs phase A, unless this was the last state. Throws std::runtime_error for a loop that does not settle.
  void evaluate(std::span<const std::uint64_t> state);
  // The value of a literal in the state that was evaluated last.
  bool value(Literal literal) const { return values_[literal] != 0; }
  // Appends the legal rows of a role, ascending.
  void list_legal(std::int32_t role, std::vector<std::int32_t>& rows) const;
  // Runs phase B for one row per role and writes the next state to `next`, whose bits must be zero before.
  void advance(std::span<const std::int32_t> joint, std::span<std::uint64_t> next);

  // [loop] the most rounds that a loop has taken in a state so far.
  std::span<const std::int32_t> most_rounds() const { return most_rounds_; }

  // Whether a row is legal in no state at all.
  bool is_dead(std::int32_t row) const { return circuit_.legal[row] == FALSE_LITERAL; }

 private:
  void set_value(std::size_t slot, bool value);
  // The loops of the phase begin with this one.
  void run_phase(const std::vector<GateBlock>& phase, std::size_t loop);
  void run_gates(const GateBlock& block);
  // Returns the number of rounds.
  std::int32_t run_loop(const GateBlock& block);

  const Circuit& circuit_;
  const std::vector<GateBlock> state_phase_;
  const std::vector<GateBlock> move_phase_;
  const std::size_t n_state_loops_;
  std::vector<std::uint8_t> values_;                    // [literal] 0 or 1: no complement to take when reading
  std::vector<std::uint64_t> evaluated_;                // the state whose phase A is in values_; empty: none
  std::vector<std::vector<std::int32_t>> live_rows_;    // [role] not dead
  std::vector<std::vector<std::int32_t>> sets_of_row_;  // [row]
  std::vector<std::int32_t> chosen_sets_;               // true since the last advance()
  std::vector<std::int32_t> most_rounds_;               // [loop]
};

}  // namespace gdl
