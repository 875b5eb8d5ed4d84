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
  values_.resize(circuit_.first_gate_slot() + static_cast<std::size_t>(circuit_.n_gates()));
  values_[0] = 1;
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
  std::vector<std::int32_t> rows;
  const auto index = static_cast<std::size_t>(role);
  for (std::int32_t row = circuit_.move_start.at(index); row < circuit_.move_start.at(index + 1); ++row) {
    if (value(circuit_.legal[static_cast<std::size_t>(row)])) rows.push_back(row);
  }
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
  std::fill(values_.begin() + static_cast<std::ptrdiff_t>(first_set),
            values_.begin() + static_cast<std::ptrdiff_t>(circuit_.first_gate_slot()), std::uint8_t{0});
  for (const std::int32_t row : joint) {
    for (const std::int32_t set : sets_of_row_[static_cast<std::size_t>(row)]) {
      values_[first_set + static_cast<std::size_t>(set)] = 1;
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
    values_[1 + fluent] = (state[fluent / 64] >> (fluent % 64)) & 1u;
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

void Machine::run_gates(std::int32_t first, std::int32_t last) {
  const std::uint8_t* values = values_.data();
  std::uint8_t* gates = values_.data() + circuit_.first_gate_slot();
  const Literal* literals = circuit_.gate_literals.data();
  const std::int32_t* start = circuit_.gate_start.data();
  for (std::int32_t gate = first; gate < last; ++gate) {
    unsigned value = 1;
    for (std::int32_t i = start[gate]; i < start[gate + 1]; ++i) {
      value &= values[slot_of(literals[i])] ^ (literals[i] & 1u);
    }
    gates[gate] = static_cast<std::uint8_t>(value);
  }
}

void Machine::run_loop(Loop loop) {
  const auto gates = values_.begin() + static_cast<std::ptrdiff_t>(circuit_.first_gate_slot());
  std::copy(circuit_.loop_initial.begin() + loop.first, circuit_.loop_initial.begin() + loop.last, gates + loop.first);
  for (std::int32_t round = 0; round <= loop.last - loop.first + 1; ++round) {
    const std::vector<std::uint8_t> before(gates + loop.first, gates + loop.last);
    run_gates(loop.first, loop.last);
    if (std::equal(before.begin(), before.end(), gates + loop.first)) return;
  }
  throw_endless_loop();
}

}  // namespace gdl
