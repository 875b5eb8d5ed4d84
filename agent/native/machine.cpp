#include "machine.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "circuit_check.hpp"
#include "program.hpp"

namespace gdl {

Machine::Machine(Circuit circuit) : circuit_(std::move(circuit)) {
  check_circuit(circuit_);
  initial_.resize(static_cast<std::size_t>(circuit_.state_words()));
  for (std::size_t fluent = 0; fluent < circuit_.initial.size(); ++fluent) {
    initial_[fluent / 64] |= std::uint64_t{circuit_.initial[fluent]} << (fluent % 64);
  }
  values_.resize(2 * (circuit_.first_gate_slot() + static_cast<std::size_t>(circuit_.n_gates())));
  set_value(0, true);
  sets_of_row_.resize(circuit_.legal.size());
  for (std::size_t set = 0; set + 1 < circuit_.set_start.size(); ++set) {
    for (std::int32_t i = circuit_.set_start[set]; i < circuit_.set_start[set + 1]; ++i) {
      const std::int32_t row = circuit_.set_rows[static_cast<std::size_t>(i)];
      sets_of_row_[static_cast<std::size_t>(row)].push_back(static_cast<std::int32_t>(set));
    }
  }
}

bool Machine::terminal(std::span<const std::uint64_t> state) {
  evaluate(state);
  return value(circuit_.terminal);
}

std::vector<std::int32_t> Machine::goals(std::span<const std::uint64_t> state) {
  evaluate(state);
  std::vector<std::int32_t> goals(static_cast<std::size_t>(circuit_.n_roles), -1);
  for (std::size_t i = 0; i < circuit_.goal_literal.size(); ++i) {
    std::int32_t& goal = goals[static_cast<std::size_t>(circuit_.goal_role[i])];
    if (goal < 0 && value(circuit_.goal_literal[i])) goal = circuit_.goal_value[i];
  }
  return goals;
}

std::vector<std::int32_t> Machine::legal(std::span<const std::uint64_t> state, std::int32_t role) {
  evaluate(state);
  const auto index = static_cast<std::size_t>(role);
  const std::int32_t first = circuit_.move_start.at(index), last = circuit_.move_start.at(index + 1);
  std::vector<std::int32_t> rows(static_cast<std::size_t>(last - first));
  std::size_t n = 0;
  for (std::int32_t row = first; row < last; ++row) {  // without a branch: legal rows are hard to foresee
    rows[n] = row;
    n += values_[circuit_.legal[static_cast<std::size_t>(row)]];
  }
  rows.resize(n);
  return rows;
}

std::vector<std::uint64_t> Machine::next(std::span<const std::uint64_t> state, std::span<const std::int32_t> joint) {
  if (joint.size() != static_cast<std::size_t>(circuit_.n_roles)) {
    throw std::invalid_argument("a joint move has one row per role: expected " + std::to_string(circuit_.n_roles) +
                                ", got " + std::to_string(joint.size()));
  }
  for (std::size_t role = 0; role < joint.size(); ++role) {
    const std::int32_t row = joint[role];
    if (row < circuit_.move_start[role] || row >= circuit_.move_start[role + 1]) {
      throw std::invalid_argument("row " + std::to_string(row) + " is not a move of role " + std::to_string(role));
    }
  }
  evaluate(state);
  const std::size_t first_set = circuit_.first_set_slot();
  for (std::size_t slot = first_set; slot < circuit_.first_gate_slot(); ++slot) set_value(slot, false);
  for (const std::int32_t row : joint) {
    for (const std::int32_t set : sets_of_row_[static_cast<std::size_t>(row)]) {
      set_value(first_set + static_cast<std::size_t>(set), true);
    }
  }
  run_phase(circuit_.n_state_gates, circuit_.n_gates());
  std::vector<std::uint64_t> next(initial_.size());
  for (std::size_t fluent = 0; fluent < circuit_.next.size(); ++fluent) {
    next[fluent / 64] |= std::uint64_t{value(circuit_.next[fluent])} << (fluent % 64);
  }
  return next;
}

void Machine::evaluate(std::span<const std::uint64_t> state) {
  if (state.size() != initial_.size()) {
    throw std::invalid_argument("a state of this game has " + std::to_string(initial_.size()) + " words, got " +
                                std::to_string(state.size()));
  }
  if (evaluated_.size() == state.size() && std::equal(state.begin(), state.end(), evaluated_.begin())) {
    if (!evaluated_.empty()) return;
  }
  if (circuit_.n_fluents % 64 != 0 && (state.back() >> (circuit_.n_fluents % 64)) != 0) {
    throw std::invalid_argument("the state has a bit past the last fluent");
  }
  evaluated_.clear();
  for (std::size_t fluent = 0; fluent < circuit_.next.size(); ++fluent) {
    set_value(1 + fluent, ((state[fluent / 64] >> (fluent % 64)) & 1u) != 0);
  }
  run_phase(0, circuit_.n_state_gates);
  evaluated_.assign(state.begin(), state.end());
}

void Machine::run_phase(std::int32_t first, std::int32_t last) {
  for (const Loop loop : circuit_.loops) {
    if (loop.first < first || loop.last > last) continue;
    run_gates(first, loop.first);
    run_loop(loop);
    first = loop.last;
  }
  run_gates(first, last);
}

void Machine::set_value(std::size_t slot, bool value) {
  values_[2 * slot] = value ? 1 : 0;
  values_[2 * slot + 1] = value ? 0 : 1;
}

void Machine::run_gates(std::int32_t first, std::int32_t last) {
  std::uint8_t* values = values_.data();
  std::uint8_t* gates = values + 2 * static_cast<std::size_t>(circuit_.first_gate_slot());
  const Literal* literals = circuit_.gate_literals.data();
  const std::int32_t* start = circuit_.gate_start.data();
  for (std::int32_t gate = first; gate < last; ++gate) {
    const Literal* literal = literals + start[gate];
    const Literal* end = literals + start[gate + 1];
    std::uint8_t value = 1;
    if (end - literal >= 2) {  // nearly always, often just two: the branches are foreseen
      value = values[literal[0]] & values[literal[1]];
      literal += 2;
    }
    while (literal != end) value &= values[*literal++];
    gates[2 * gate] = value;
    gates[2 * gate + 1] = value ^ 1u;
  }
}

void Machine::run_loop(Loop loop) {
  const std::size_t first_slot = circuit_.first_gate_slot();
  for (std::int32_t gate = loop.first; gate < loop.last; ++gate) {
    const auto index = static_cast<std::size_t>(gate);
    set_value(first_slot + index, circuit_.loop_initial[index] != 0);
  }
  const auto begin = values_.begin() + 2 * (static_cast<std::ptrdiff_t>(first_slot) + loop.first);
  const auto end = begin + 2 * (loop.last - loop.first);
  for (std::int32_t round = 0; round <= loop.last - loop.first + 1; ++round) {
    const std::vector<std::uint8_t> before(begin, end);
    run_gates(loop.first, loop.last);
    if (std::equal(before.begin(), before.end(), begin)) return;
  }
  throw_endless_loop();
}

}  // namespace gdl
