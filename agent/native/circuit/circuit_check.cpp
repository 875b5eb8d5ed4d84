#include "circuit/circuit_check.hpp"

#include <stdexcept>
#include <string>

namespace gdl {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("circuit: " + what); }

void check_size(const char* name, std::size_t size, std::size_t expected) {
  if (size != expected) {
    refuse(std::string(name) + " has " + std::to_string(size) + " elements, expected " + std::to_string(expected));
  }
}

// Offsets into an array of `size` elements: begin with 0, never fall, end with size.
void check_offsets(const char* name, const std::vector<std::int32_t>& offsets, std::size_t size) {
  if (offsets.empty() || offsets.front() != 0) refuse(std::string(name) + " must begin with 0");
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) refuse(std::string(name) + "[" + std::to_string(i) + "] falls");
  }
  if (static_cast<std::size_t>(offsets.back()) != size) {
    refuse(std::string(name) + " must end with " + std::to_string(size) + ", not " + std::to_string(offsets.back()));
  }
}

template <class T>
void check_range(const char* name, const std::vector<T>& values, std::int64_t low, std::int64_t high) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<std::int64_t>(values[i]);
    if (value < low || value > high) {
      refuse(std::string(name) + "[" + std::to_string(i) + "] is " + std::to_string(value) + ", expected " +
             std::to_string(low) + " to " + std::to_string(high));
    }
  }
}

void check_sizes(const Circuit& c) {
  if (c.n_fluents < 0) refuse("n_fluents is negative");
  if (c.n_roles < 1) refuse("n_roles must be at least 1");
  constexpr std::size_t LIMIT = std::size_t{1} << 30;  // literals are 32-bit
  if (c.legal.size() + c.gate_start.size() + c.set_start.size() + static_cast<std::size_t>(c.n_fluents) > LIMIT) {
    refuse("too large");
  }
  check_size("move_start", c.move_start.size(), static_cast<std::size_t>(c.n_roles) + 1);
  check_offsets("move_start", c.move_start, c.legal.size());
  check_offsets("set_start", c.set_start, c.set_rows.size());
  check_offsets("gate_start", c.gate_start, c.gate_literals.size());
  check_size("loop_initial", c.loop_initial.size(), c.gate_start.size() - 1);
  check_size("next", c.next.size(), static_cast<std::size_t>(c.n_fluents));
  check_size("initial", c.initial.size(), static_cast<std::size_t>(c.n_fluents));
  check_size("goal_value", c.goal_value.size(), c.goal_role.size());
  check_size("goal_literal", c.goal_literal.size(), c.goal_role.size());
}

void check_loops(const Circuit& c) {
  if (c.n_state_gates < 0 || c.n_state_gates > c.n_gates()) refuse("n_state_gates is out of range");
  std::int32_t last = 0;
  for (std::size_t i = 0; i < c.loops.size(); ++i) {
    const Loop loop = c.loops[i];
    const std::string name = "loops[" + std::to_string(i) + "]";
    if (loop.first < last || loop.last <= loop.first || loop.last > c.n_gates()) {
      refuse(name + " must be a non-empty run of gates after the loop before it");
    }
    if (loop.first < c.n_state_gates && loop.last > c.n_state_gates) refuse(name + " lies in both phases");
    last = loop.last;
  }
}

// Gates read what comes before them, and inside their loop anything; gates of phase A read no move sets.
void check_gates(const Circuit& c) {
  std::size_t loop = 0;
  for (std::int32_t gate = 0; gate < c.n_gates(); ++gate) {
    while (loop < c.loops.size() && c.loops[loop].last <= gate) ++loop;
    const bool in_loop = loop < c.loops.size() && c.loops[loop].first <= gate;
    const auto end = c.first_gate_slot() + static_cast<std::uint32_t>(in_loop ? c.loops[loop].last : gate);
    const auto index = static_cast<std::size_t>(gate);
    for (std::int32_t i = c.gate_start[index]; i < c.gate_start[index + 1]; ++i) {
      const std::uint32_t slot = slot_of(c.gate_literals[static_cast<std::size_t>(i)]);
      if (slot >= end) {
        refuse("gate " + std::to_string(gate) + " reads slot " + std::to_string(slot) + ", which is not before it");
      }
      if (gate < c.n_state_gates && slot >= c.first_set_slot() && slot < c.first_gate_slot()) {
        refuse("gate " + std::to_string(gate) + " of the state phase reads a move set");
      }
    }
  }
}

void check_state_literal(const Circuit& c, const std::string& name, Literal literal) {
  const std::uint32_t slot = slot_of(literal);
  const bool before_sets = slot < c.first_set_slot();
  const bool state_gate =
      slot >= c.first_gate_slot() && slot < c.first_gate_slot() + static_cast<std::uint32_t>(c.n_state_gates);
  if (!before_sets && !state_gate) refuse(name + " must depend on the state alone");
}

}  // namespace

void check_circuit(const Circuit& c) {
  check_sizes(c);
  check_range("set_rows", c.set_rows, 0, static_cast<std::int64_t>(c.legal.size()) - 1);
  check_range("goal_role", c.goal_role, 0, c.n_roles - 1);
  check_range("goal_value", c.goal_value, 0, 100);
  check_range("initial", c.initial, 0, 1);
  check_range("loop_initial", c.loop_initial, 0, 1);
  check_loops(c);
  check_gates(c);
  for (std::size_t i = 0; i < c.legal.size(); ++i)
    check_state_literal(c, "legal[" + std::to_string(i) + "]", c.legal[i]);
  for (std::size_t i = 0; i < c.goal_literal.size(); ++i) {
    check_state_literal(c, "goal_literal[" + std::to_string(i) + "]", c.goal_literal[i]);
  }
  check_state_literal(c, "terminal", c.terminal);
  const std::int64_t slots = std::int64_t{c.first_gate_slot()} + c.n_gates();
  check_range("next", c.next, 0, 2 * slots - 1);
}

}  // namespace gdl
