#include "machine/state_evaluator.hpp"

#include <algorithm>

#include "program/program.hpp"

namespace gdl {

StateEvaluator::StateEvaluator(const Circuit& circuit)
    : circuit_(circuit),
      state_phase_(circuit.state_blocks()),
      move_phase_(circuit.move_blocks()),
      n_state_loops_(static_cast<std::size_t>(std::ranges::count_if(state_phase_, &GateBlock::is_loop))),
      values_(2 * std::size_t{circuit.n_slots()}),
      live_rows_(static_cast<std::size_t>(circuit.n_roles)),
      sets_of_row_(circuit.legal.size()),
      most_rounds_(circuit.loops.size()) {
  for (std::size_t slot = 0; slot < circuit.first_gate_slot(); ++slot) set_value(slot, slot == 0);
  for (std::size_t set = 0; set < circuit.sets.size(); ++set) {
    for (const std::int32_t row : circuit.sets[set]) sets_of_row_[row].push_back(static_cast<std::int32_t>(set));
  }
  for (std::size_t role = 0; role < live_rows_.size(); ++role) {
    for (std::int32_t row = circuit.move_start[role]; row < circuit.move_start[role + 1]; ++row) {
      if (!is_dead(row)) live_rows_[role].push_back(row);
    }
  }
}

void StateEvaluator::evaluate(std::span<const std::uint64_t> state) {
  if (!evaluated_.empty() && std::ranges::equal(state, evaluated_)) return;
  evaluated_.clear();
  for (std::size_t fluent = 0; fluent < circuit_.next.size(); ++fluent) {
    set_value(1 + fluent, ((state[fluent / 64] >> (fluent % 64)) & 1u) != 0);
  }
  run_phase(state_phase_, 0);
  evaluated_.assign(state.begin(), state.end());
}

void StateEvaluator::list_legal(std::int32_t role, std::vector<std::int32_t>& rows) const {
  const auto& live = live_rows_[static_cast<std::size_t>(role)];
  std::size_t n = rows.size();
  rows.resize(n + live.size());
  for (const std::int32_t row : live) {  // without a branch: legal rows are hard to foresee
    rows[n] = row;
    n += values_[circuit_.legal[static_cast<std::size_t>(row)]];
  }
  rows.resize(n);
}

void StateEvaluator::advance(std::span<const std::int32_t> joint, std::span<std::uint64_t> next) {
  for (const std::int32_t set : chosen_sets_) set_value(circuit_.set_slot(set), false);
  chosen_sets_.clear();
  for (const std::int32_t row : joint) {
    for (const std::int32_t set : sets_of_row_[row]) {
      set_value(circuit_.set_slot(set), true);
      chosen_sets_.push_back(set);
    }
  }
  run_phase(move_phase_, n_state_loops_);
  for (std::size_t fluent = 0; fluent < circuit_.next.size(); ++fluent) {
    next[fluent / 64] |= std::uint64_t{value(circuit_.next[fluent])} << (fluent % 64);
  }
}

void StateEvaluator::run_phase(const std::vector<GateBlock>& phase, std::size_t loop) {
  for (const GateBlock& block : phase) {
    if (block.is_loop) {
      most_rounds_[loop] = std::max(most_rounds_[loop], run_loop(block));
      ++loop;
    } else {
      run_gates(block);
    }
  }
}

void StateEvaluator::set_value(std::size_t slot, bool value) {
  values_[2 * slot] = value ? 1 : 0;
  values_[2 * slot + 1] = value ? 0 : 1;
}

void StateEvaluator::run_gates(const GateBlock& block) {
  std::uint8_t* values = values_.data();
  std::uint8_t* gates = values + literal_of(circuit_.first_gate_slot());
  const Literal* literals = circuit_.gates.values().data();
  const std::int32_t* start = circuit_.gates.start().data();
  for (std::size_t gate = block.first; gate < block.last; ++gate) {
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

std::int32_t StateEvaluator::run_loop(const GateBlock& block) {
  for (std::size_t gate = block.first; gate < block.last; ++gate) {
    set_value(circuit_.gate_slot(gate), circuit_.loop_initial[gate] != 0);
  }
  const auto begin = values_.begin() + literal_of(circuit_.gate_slot(block.first));
  const auto end = values_.begin() + literal_of(circuit_.gate_slot(block.last));
  const auto most = static_cast<std::int32_t>(block.last - block.first) + 2;
  for (std::int32_t round = 1; round <= most; ++round) {
    const std::vector<std::uint8_t> before(begin, end);
    run_gates(block);
    if (std::equal(before.begin(), before.end(), begin)) return round;
  }
  throw_endless_loop();
}

}  // namespace gdl
