// The compiled game: a Boolean circuit over fluents and move sets. See README.md for the meaning of every array.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gdl {

// A literal is 2 * slot + complement. Slots: 0 is the constant TRUE, then the fluents, the move sets, the gates.
using Literal = std::uint32_t;

inline constexpr std::uint32_t slot_of(Literal literal) { return literal >> 1; }
inline constexpr bool is_complemented(Literal literal) { return (literal & 1u) != 0; }

// A run of gates [first, last) that is repeated until nothing changes (positive recursion).
struct Loop {
  std::int32_t first;
  std::int32_t last;
};

struct Circuit {
  static constexpr int FORMAT_VERSION = 1;

  std::int32_t n_fluents = 0;
  std::int32_t n_roles = 0;
  std::vector<std::int32_t> move_start;    // [n_roles + 1] rows of role r: move_start[r] .. move_start[r + 1]
  std::vector<std::int32_t> set_start;     // [n_sets + 1] into set_rows
  std::vector<std::int32_t> set_rows;      // rows whose choice makes the set true
  std::vector<std::int32_t> gate_start;    // [n_gates + 1] into gate_literals
  std::vector<Literal> gate_literals;      // gate g is the AND of its literals
  std::int32_t n_state_gates = 0;          // gates before this one depend on the state alone (phase A)
  std::vector<Loop> loops;                 // disjoint, ascending
  std::vector<std::uint8_t> loop_initial;  // [n_gates] value of a gate before its loop starts
  std::vector<Literal> legal;              // [n_rows]
  Literal terminal = 0;
  std::vector<std::int32_t> goal_role;   // [n_goals]
  std::vector<std::int32_t> goal_value;  // [n_goals] 0..100
  std::vector<Literal> goal_literal;     // [n_goals]
  std::vector<Literal> next;             // [n_fluents]
  std::vector<std::uint8_t> initial;     // [n_fluents]

  std::int32_t n_rows() const { return static_cast<std::int32_t>(legal.size()); }
  std::int32_t n_sets() const { return static_cast<std::int32_t>(set_start.size()) - 1; }
  std::int32_t n_gates() const { return static_cast<std::int32_t>(gate_start.size()) - 1; }
  std::uint32_t first_set_slot() const { return 1u + static_cast<std::uint32_t>(n_fluents); }
  std::uint32_t first_gate_slot() const { return first_set_slot() + static_cast<std::uint32_t>(n_sets()); }
  // Words of a packed state: fluent f is bit f % 64 of word f / 64.
  std::int32_t state_words() const { return (n_fluents + 63) / 64; }
};

}  // namespace gdl
