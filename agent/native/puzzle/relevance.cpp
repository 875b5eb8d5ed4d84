#include "puzzle/relevance.hpp"

#include <cstddef>

#include "circuit/reachable.hpp"
#include "program/turns.hpp"

namespace gdl {
namespace {

// [fluent] whether the values of the roots depend on it, now or after some moves.
std::vector<std::uint8_t> influences(const Circuit& circuit, const std::vector<std::uint32_t>& roots) {
  const auto reached = reachable(circuit.n_slots(), roots, [&](std::uint32_t slot, auto visit) {
    if (circuit.is_fluent(slot)) visit(slot_of(circuit.next[static_cast<std::size_t>(circuit.fluent_at(slot))]));
    if (!circuit.is_gate(slot)) return;
    for (const Literal literal : circuit.literals_at(slot)) visit(slot_of(literal));
  });
  const auto first = reached.begin() + 1;
  return {first, first + circuit.n_fluents};
}

}  // namespace

Relevance find_relevance(const Circuit& circuit) {
  std::vector<std::uint32_t> roots;
  for (const Literal literal : circuit.legal) roots.push_back(slot_of(literal));
  const std::vector<std::uint8_t> autonomous = autonomous_fluents(circuit);
  std::vector<std::uint32_t> of_moves = roots;
  for (std::size_t f = 0; f < autonomous.size(); ++f) {
    if (autonomous[f] == 0) of_moves.push_back(slot_of(circuit.next[f]));
  }
  roots.push_back(slot_of(circuit.terminal));
  for (const Literal literal : circuit.goal_literal) roots.push_back(slot_of(literal));
  const std::vector<std::uint8_t> relevant = influences(circuit, roots);
  const std::vector<std::uint8_t> moving = influences(circuit, of_moves);
  Relevance found;
  found.relevant.resize(static_cast<std::size_t>(circuit.state_words()));
  found.lasting = found.relevant;
  for (std::size_t f = 0; f < autonomous.size(); ++f) {
    const std::uint64_t bit = std::uint64_t{1} << (f % 64);
    if (relevant[f] == 0) continue;
    found.relevant[f / 64] |= bit;
    if (autonomous[f] == 0 || moving[f] != 0) found.lasting[f / 64] |= bit;
  }
  return found;
}

}  // namespace gdl
