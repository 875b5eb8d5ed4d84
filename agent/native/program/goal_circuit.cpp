#include "program/goal_circuit.hpp"

#include <algorithm>

namespace gdl {

namespace {

constexpr Literal FALSE_LITERAL = 1;
// To keep a state until its goals are asked for costs about so many literals a fluent.
constexpr std::size_t COST_OF_FLUENT = 4;

// The gates that some literals need; of a loop all or none.
class Needed {
 public:
  explicit Needed(const Circuit& circuit) : circuit_(circuit), needed_(static_cast<std::size_t>(circuit.n_gates())) {}

  void add(Literal literal) {
    visit(literal);
    while (!open_.empty()) {
      const std::size_t gate = open_.back();
      open_.pop_back();
      for (const Loop& loop : circuit_.loops) {
        if (gate < static_cast<std::size_t>(loop.first) || gate >= static_cast<std::size_t>(loop.last)) continue;
        for (std::int32_t other = loop.first; other < loop.last; ++other) visit(gate_literal(other));
      }
      for (std::int32_t i = circuit_.gate_start[gate]; i < circuit_.gate_start[gate + 1]; ++i) {
        visit(circuit_.gate_literals[static_cast<std::size_t>(i)]);
      }
    }
  }
  bool operator[](std::int32_t gate) const { return needed_[static_cast<std::size_t>(gate)] != 0; }
  std::size_t literals() const {
    std::size_t sum = 0;
    for (std::size_t gate = 0; gate < needed_.size(); ++gate) {
      if (needed_[gate]) sum += static_cast<std::size_t>(circuit_.gate_start[gate + 1] - circuit_.gate_start[gate]);
    }
    return sum;
  }

 private:
  Literal gate_literal(std::int32_t gate) const {
    return 2 * (circuit_.first_gate_slot() + static_cast<std::uint32_t>(gate));
  }
  void visit(Literal literal) {
    if (slot_of(literal) < circuit_.first_gate_slot()) return;
    const std::size_t gate = slot_of(literal) - circuit_.first_gate_slot();
    if (needed_[gate]) return;
    needed_[gate] = 1;
    open_.push_back(gate);
  }

  const Circuit& circuit_;
  std::vector<std::uint8_t> needed_;
  std::vector<std::size_t> open_;
};

Needed needed_for_play(const Circuit& circuit) {
  Needed needed(circuit);
  needed.add(circuit.terminal);
  for (const Literal literal : circuit.legal) needed.add(literal);
  for (const Literal literal : circuit.next) needed.add(literal);
  return needed;
}

Needed needed_for_goals(const Circuit& circuit) {
  Needed needed(circuit);
  for (const Literal literal : circuit.goal_literal) needed.add(literal);
  return needed;
}

// Replaces the gates of `result`, and what its outputs name, by those of `circuit` that are needed.
void keep_gates(const Circuit& circuit, const Needed& needed, Circuit& result) {
  std::vector<std::uint32_t> slot(circuit.first_gate_slot() + static_cast<std::size_t>(circuit.n_gates()), 0);
  for (std::uint32_t old = 0; old < circuit.first_gate_slot(); ++old) slot[old] = old;
  const auto renamed = [&](Literal literal) { return 2 * slot[slot_of(literal)] + (literal & 1u); };
  std::uint32_t next = result.first_gate_slot();
  for (std::int32_t gate = 0; gate < circuit.n_gates(); ++gate) {
    if (needed[gate]) slot[circuit.first_gate_slot() + static_cast<std::uint32_t>(gate)] = next++;
  }
  result.gate_start = {0};
  result.gate_literals.clear();
  result.loop_initial.clear();
  result.loops.clear();
  result.n_state_gates = 0;
  for (std::int32_t gate = 0; gate < circuit.n_gates(); ++gate) {
    for (const Loop& loop : circuit.loops) {
      if (gate == loop.first && needed[gate]) {
        result.loops.push_back({result.n_gates(), result.n_gates() + loop.last - loop.first});
      }
    }
    if (!needed[gate]) continue;
    const auto index = static_cast<std::size_t>(gate);
    for (std::int32_t i = circuit.gate_start[index]; i < circuit.gate_start[index + 1]; ++i) {
      result.gate_literals.push_back(renamed(circuit.gate_literals[static_cast<std::size_t>(i)]));
    }
    result.gate_start.push_back(static_cast<std::int32_t>(result.gate_literals.size()));
    result.loop_initial.push_back(circuit.loop_initial[index]);
    if (gate < circuit.n_state_gates) result.n_state_gates = result.n_gates();
  }
  for (auto* outputs : {&result.legal, &result.next, &result.goal_literal}) {
    for (Literal& literal : *outputs) literal = renamed(literal);
  }
  result.terminal = renamed(result.terminal);
}

}  // namespace

bool goals_are_costly(const Circuit& circuit) {
  const Needed play = needed_for_play(circuit), goals = needed_for_goals(circuit);
  Needed all = play;
  for (const Literal literal : circuit.goal_literal) all.add(literal);
  const std::size_t alone = all.literals() - play.literals();
  return alone > COST_OF_FLUENT * static_cast<std::size_t>(circuit.n_fluents) && 2 * alone > goals.literals();
}

Circuit without_goals(const Circuit& circuit) {
  Circuit result = circuit;
  std::ranges::fill(result.goal_literal, FALSE_LITERAL);
  keep_gates(circuit, needed_for_play(circuit), result);
  return result;
}

Circuit goals_alone(const Circuit& circuit) {
  Circuit result = circuit;
  std::ranges::fill(result.move_start, 0);
  result.set_start = {0};
  result.set_rows.clear();
  result.legal.clear();
  result.terminal = FALSE_LITERAL;
  std::ranges::fill(result.next, FALSE_LITERAL);
  keep_gates(circuit, needed_for_goals(circuit), result);
  return result;
}

}  // namespace gdl
