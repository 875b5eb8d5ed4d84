// The compiled game: a Boolean circuit over fluents and move sets. README.md gives the meaning of every array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "circuit/lists.hpp"
#include "circuit/literal.hpp"

namespace gdl {

// A run of gates [first, last) that is repeated until nothing changes (positive recursion).
struct Loop {
  std::uint32_t first;
  std::uint32_t last;
};

// Gates [first, last) that are evaluated once in their order, or as a loop.
struct GateBlock {
  std::size_t first;
  std::size_t last;
  bool is_loop;
};

// The number of no role.
inline constexpr std::int32_t NO_ROLE = -1;

// Slots: 0 is the constant TRUE, then come the fluents, the move sets and the gates.
struct Circuit {
  static constexpr int FORMAT_VERSION = 1;

  std::int32_t n_fluents = 0;
  std::int32_t n_roles = 0;
  std::vector<std::int32_t> move_start;  // [n_roles + 1] rows of role r: move_start[r] .. move_start[r + 1]
  Lists<std::int32_t> sets;              // ascending rows of one role, one of which must be chosen to make the set true
  Lists<Literal> gates;                  // a gate is the AND of its literals
  std::size_t n_state_gates = 0;         // gates before this one depend on the state alone (phase A)
  std::vector<Loop> loops;               // disjoint, ascending
  std::vector<std::uint8_t> loop_initial;  // [gate] value before its loop starts
  std::vector<Literal> legal;              // [row]
  Literal terminal = FALSE_LITERAL;
  std::vector<std::int32_t> goal_role;   // [goal]
  std::vector<std::int32_t> goal_value;  // [goal] 0..100
  std::vector<Literal> goal_literal;     // [goal]
  std::vector<Literal> next;             // [fluent]
  std::vector<std::uint8_t> initial;     // [fluent]
  std::int32_t chance_role = NO_ROLE;    // makes its moves uniformly at random, whatever its goals
  std::vector<Literal> preferred;        // [kind of preference, row] legal, and drawn by playouts that prefer moves

  std::int32_t n_rows() const { return static_cast<std::int32_t>(legal.size()); }
  std::uint32_t fluent_slot(std::size_t fluent) const { return static_cast<std::uint32_t>(1 + fluent); }
  std::uint32_t set_slot(std::size_t set) const { return first_set_slot() + static_cast<std::uint32_t>(set); }
  std::uint32_t gate_slot(std::size_t gate) const { return first_gate_slot() + static_cast<std::uint32_t>(gate); }
  std::uint32_t first_set_slot() const { return 1u + static_cast<std::uint32_t>(n_fluents); }
  std::uint32_t first_gate_slot() const { return set_slot(sets.size()); }
  std::uint32_t n_slots() const { return gate_slot(gates.size()); }
  bool is_fluent(std::uint32_t slot) const { return slot != 0 && slot < first_set_slot(); }
  bool is_set(std::uint32_t slot) const { return slot >= first_set_slot() && slot < first_gate_slot(); }
  bool is_gate(std::uint32_t slot) const { return slot >= first_gate_slot(); }
  // The fluent, the rows of the set or the literals of the gate in a slot.
  std::int32_t fluent_at(std::uint32_t slot) const { return static_cast<std::int32_t>(slot) - 1; }
  std::span<const std::int32_t> rows_at(std::uint32_t slot) const { return sets[slot - first_set_slot()]; }
  std::span<const Literal> literals_at(std::uint32_t slot) const { return gates[slot - first_gate_slot()]; }

  // Words of a packed state: fluent f is bit f % 64 of word f / 64.
  std::int32_t state_words() const { return (n_fluents + 63) / 64; }
  std::vector<std::uint64_t> initial_state() const;  // packed
  // [role] the largest goal that the rules name, 0 if there is none.
  std::vector<std::int32_t> largest_goals() const;

  // Whether a fluent keeps this value for ever once it has it, as its next value shows.
  bool is_final(std::int32_t fluent, bool value) const;

  // [gate] whether the gate belongs to a loop.
  std::vector<std::uint8_t> gates_in_loops() const;
  // The gates of phase A, and those of phase B, in the order of evaluation.
  std::vector<GateBlock> state_blocks() const { return blocks(0, n_state_gates); }
  std::vector<GateBlock> move_blocks() const { return blocks(n_state_gates, gates.size()); }

 private:
  std::vector<GateBlock> blocks(std::size_t first, std::size_t last) const;
};

// The role that has a row, by the first rows of all roles.
std::size_t role_of_row(std::span<const std::int32_t> move_start, std::int32_t row);

}  // namespace gdl
