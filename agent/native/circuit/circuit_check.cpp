#include "circuit/circuit_check.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gdl {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("circuit: " + what); }

std::string place(const char* array, std::size_t index) {
  return std::string(array) + "[" + std::to_string(index) + "]";
}

void check_size(const char* name, std::size_t size, std::size_t expected) {
  if (size != expected) {
    refuse(std::string(name) + " has " + std::to_string(size) + " elements, expected " + std::to_string(expected));
  }
}

// Offsets into an array of `size` elements begin with 0, never fall and end with the size.
void check_offsets(const char* name, const std::vector<std::int32_t>& offsets, std::size_t size) {
  if (offsets.empty() || offsets.front() != 0) refuse(std::string(name) + " must begin with 0");
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) refuse(place(name, i) + " falls");
  }
  if (static_cast<std::size_t>(offsets.back()) != size) {
    refuse(std::string(name) + " must end with " + std::to_string(size) + ", not " + std::to_string(offsets.back()));
  }
}

template <class Value>
void check_range(const char* name, const std::vector<Value>& values, std::int64_t low, std::int64_t high) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<std::int64_t>(values[i]);
    if (value < low || value > high) {
      refuse(place(name, i) + " is " + std::to_string(value) + ", expected " + std::to_string(low) + " to " +
             std::to_string(high));
    }
  }
}

void check_sizes(const Circuit& c) {
  if (c.n_fluents < 0) refuse("n_fluents is negative");
  if (c.n_roles < 1) refuse("n_roles must be at least 1");
  constexpr std::size_t LIMIT = std::size_t{1} << 30;  // literals are 32-bit
  if (c.legal.size() + c.gates.start().size() + c.sets.start().size() + static_cast<std::size_t>(c.n_fluents) > LIMIT) {
    refuse("too large");
  }
  check_size("move_start", c.move_start.size(), static_cast<std::size_t>(c.n_roles) + 1);
  check_offsets("move_start", c.move_start, c.legal.size());
  check_offsets("set_start", c.sets.start(), c.sets.values().size());
  check_offsets("gate_start", c.gates.start(), c.gates.values().size());
  check_size("loop_initial", c.loop_initial.size(), c.gates.size());
  check_size("next", c.next.size(), static_cast<std::size_t>(c.n_fluents));
  check_size("initial", c.initial.size(), static_cast<std::size_t>(c.n_fluents));
  check_size("goal_value", c.goal_value.size(), c.goal_role.size());
  check_size("goal_literal", c.goal_literal.size(), c.goal_role.size());
}

void check_loops(const Circuit& c) {
  if (c.n_state_gates > c.gates.size()) refuse("n_state_gates is out of range");
  std::size_t last = 0;
  for (std::size_t i = 0; i < c.loops.size(); ++i) {
    const Loop loop = c.loops[i];
    if (loop.first < last || loop.last <= loop.first || loop.last > c.gates.size()) {
      refuse(place("loops", i) + " must be a non-empty run of gates after the loop before it");
    }
    if (loop.first < c.n_state_gates && loop.last > c.n_state_gates) refuse(place("loops", i) + " lies in both phases");
    last = loop.last;
  }
}

void check_sets(const Circuit& c) {
  check_range("set_rows", c.sets.values(), 0, static_cast<std::int64_t>(c.legal.size()) - 1);
  const auto falls = [](std::int32_t row, std::int32_t next) { return row >= next; };
  for (std::size_t set = 0; set < c.sets.size(); ++set) {
    const auto rows = c.sets[set];
    if (rows.empty() || std::ranges::adjacent_find(rows, falls) != rows.end() ||
        role_of_row(c.move_start, rows.front()) != role_of_row(c.move_start, rows.back())) {
      refuse("move set " + std::to_string(set) + " must be a non-empty ascending list of rows of one role");
    }
  }
}

// Gates read slots before their own, and inside their loop any of its gates; gates of phase A read no move sets.
void check_gates(const Circuit& c) {
  std::size_t loop = 0;
  for (std::size_t gate = 0; gate < c.gates.size(); ++gate) {
    while (loop < c.loops.size() && c.loops[loop].last <= gate) ++loop;
    const bool in_loop = loop < c.loops.size() && c.loops[loop].first <= gate;
    const std::uint32_t end = c.gate_slot(in_loop ? c.loops[loop].last : gate);
    if (c.gates[gate].empty()) refuse("gate " + std::to_string(gate) + " must have at least one literal");
    for (const Literal literal : c.gates[gate]) {
      const std::uint32_t slot = slot_of(literal);
      if (slot >= end) {
        refuse("gate " + std::to_string(gate) + " reads slot " + std::to_string(slot) + ", which is not before it");
      }
      if (gate < c.n_state_gates && c.is_set(slot)) {
        refuse("gate " + std::to_string(gate) + " of the state phase reads a move set");
      }
    }
  }
}

bool of_state(const Circuit& c, Literal literal) {
  return !c.is_set(slot_of(literal)) && slot_of(literal) < c.gate_slot(c.n_state_gates);
}

void check_state_literals(const Circuit& c, const char* name, const std::vector<Literal>& literals) {
  for (std::size_t i = 0; i < literals.size(); ++i) {
    if (!of_state(c, literals[i])) refuse(place(name, i) + " must depend on the state alone");
  }
}

}  // namespace

void check_circuit(const Circuit& c) {
  check_sizes(c);
  check_range("goal_role", c.goal_role, 0, c.n_roles - 1);
  check_range("goal_value", c.goal_value, 0, 100);
  check_range("initial", c.initial, 0, 1);
  check_range("loop_initial", c.loop_initial, 0, 1);
  check_sets(c);
  check_loops(c);
  check_gates(c);
  check_state_literals(c, "legal", c.legal);
  check_state_literals(c, "goal_literal", c.goal_literal);
  if (!of_state(c, c.terminal)) refuse("terminal must depend on the state alone");
  check_range("next", c.next, 0, 2 * std::int64_t{c.n_slots()} - 1);
}

}  // namespace gdl
