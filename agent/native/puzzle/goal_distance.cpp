#include "puzzle/goal_distance.hpp"

#include <algorithm>

#include "circuit/reachable.hpp"

namespace gdl {

GoalDistance::GoalDistance(const Circuit& circuit, Literal goal, Finality finality) {
  const std::uint32_t root = slot_of(goal);
  const std::vector<std::uint8_t> in_loop = circuit.gates_in_loops();
  const auto looping = [&](std::uint32_t slot) { return in_loop[slot - circuit.first_gate_slot()] != 0; };
  std::size_t size = 0;
  const auto reached = reachable(circuit.n_slots(), {&root, 1}, [&](std::uint32_t slot, auto visit) {
    if (!circuit.is_gate(slot) || looping(slot)) return;
    size += circuit.literals_at(slot).size();
    for (const Literal literal : circuit.literals_at(slot)) visit(slot_of(literal));
  });
  lacking_ = {0, IMPOSSIBLE};  // the constant TRUE
  if (size > MOST_TERMS) return;
  std::vector<std::uint32_t> place(circuit.n_slots(), 0);  // a gate in a loop is the constant TRUE
  std::uint32_t places = 1;
  for (std::uint32_t slot = 1; slot < circuit.first_set_slot(); ++slot) {
    if (reached[slot] == 0) continue;
    const std::int32_t fluent = circuit.fluent_at(slot);
    const auto change_from = [&](bool value) {
      return finality == Finality::Counts && circuit.is_final(fluent, value) ? IMPOSSIBLE : 1;
    };
    fluents_.push_back({fluent, change_from(true), change_from(false)});
    place[slot] = places++;
  }
  for (std::uint32_t slot = circuit.first_gate_slot(); slot < circuit.n_slots(); ++slot) {
    if (reached[slot] == 0 || looping(slot)) continue;
    const auto first = static_cast<std::uint32_t>(terms_.size());
    for (const Literal literal : circuit.literals_at(slot)) {
      terms_.push_back(replaced(literal, literal_of(place[slot_of(literal)])));
    }
    gates_.push_back({first, static_cast<std::uint32_t>(terms_.size())});
    place[slot] = places++;
  }
  goal_ = replaced(goal, literal_of(place[root]));
  lacking_.resize(2 * std::size_t{places});
}

GoalDistance GoalDistance::of_largest_goal(const Circuit& circuit, Finality finality) {
  const std::int32_t largest = circuit.largest_goals().front();
  for (std::size_t i = 0; i < circuit.goal_value.size(); ++i) {
    if (circuit.goal_value[i] == largest) return {circuit, circuit.goal_literal[i], finality};
  }
  return {circuit, TRUE_LITERAL, finality};
}

std::int32_t GoalDistance::operator()(const std::uint64_t* state) {
  std::int32_t* lacking = lacking_.data() + 2;
  for (const ReadFluent& read : fluents_) {
    const bool holds = (state[read.fluent / 64] >> (read.fluent % 64) & 1u) != 0;
    *lacking++ = holds ? 0 : read.to_hold;
    *lacking++ = holds ? read.to_fail : 0;
  }
  for (const Condition& gate : gates_) {
    std::int32_t to_hold = 0, to_fail = IMPOSSIBLE;
    for (std::uint32_t i = gate.first; i < gate.last; ++i) {
      to_hold = std::min(to_hold + lacking_[terms_[i]], IMPOSSIBLE);
      to_fail = std::min(to_fail, lacking_[negated(terms_[i])]);
    }
    *lacking++ = to_hold;
    *lacking++ = to_fail;
  }
  return lacking_[goal_];
}

}  // namespace gdl
