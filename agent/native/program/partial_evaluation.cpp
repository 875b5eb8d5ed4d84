#include "program/partial_evaluation.hpp"

#include <algorithm>

#include "circuit/reachable.hpp"

namespace gdl {

PartialEvaluation::PartialEvaluation(const Circuit& circuit, std::span<const Literal> wanted, Assumptions& assumptions)
    : circuit_(circuit),
      assumptions_(assumptions),
      literal_(circuit.n_slots(), TRUE_LITERAL),
      changed_(circuit.n_slots(), 0) {
  std::vector<std::uint32_t> roots;
  for (const Literal literal : wanted) roots.push_back(slot_of(literal));
  const auto needed = reachable(circuit.n_slots(), roots, [&](std::uint32_t slot, auto visit) {
    if (!circuit.is_gate(slot)) return;
    for (const Literal literal : circuit.literals_at(slot)) visit(slot_of(literal));
  });
  for (std::uint32_t slot = circuit.first_gate_slot(); slot < circuit.n_slots(); ++slot) {
    if (needed[slot] == 0) continue;
    gates_.push_back(slot);
    size_ += circuit.literals_at(slot).size();
  }
}

Literal PartialEvaluation::gate_literal(std::uint32_t slot) {
  operands_.clear();
  for (const Literal literal : circuit_.literals_at(slot)) operands_.push_back((*this)(literal));
  return assumptions_.conjunction(operands_);
}

void PartialEvaluation::evaluate_base() {
  for (const std::uint32_t slot : gates_) literal_[slot] = gate_literal(slot);
}

void PartialEvaluation::change(std::uint32_t slot, Literal literal) {
  if (literal_[slot] == literal) return;
  changes_.push_back({slot, literal_[slot]});
  changed_[slot] = 1;
  literal_[slot] = literal;
}

void PartialEvaluation::propagate() {
  for (const std::uint32_t slot : gates_) {
    const auto literals = circuit_.literals_at(slot);
    if (std::ranges::any_of(literals, [this](Literal literal) { return changed_[slot_of(literal)] != 0; })) {
      change(slot, gate_literal(slot));
    }
  }
}

void PartialEvaluation::reset() {
  for (; !changes_.empty(); changes_.pop_back()) {
    literal_[changes_.back().slot] = changes_.back().before;
    changed_[changes_.back().slot] = 0;
  }
}

}  // namespace gdl
