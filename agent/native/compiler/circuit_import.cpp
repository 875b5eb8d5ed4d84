#include "compiler/circuit_import.hpp"

#include "circuit/reachable.hpp"

namespace gdl {

Roots roots_of(const Circuit& circuit) {
  return {circuit.legal, circuit.terminal, circuit.goal_literal, circuit.next, circuit.preferred};
}

std::vector<std::uint8_t> slots_needed(const Circuit& circuit, const Roots& roots) {
  std::vector<std::uint32_t> asked;
  for (const Literal literal : roots.literals()) asked.push_back(slot_of(literal));
  return reachable(circuit.n_slots(), asked, [&](std::uint32_t slot, auto visit) {
    if (!circuit.is_gate(slot)) return;
    for (const Literal literal : circuit.literals_at(slot)) visit(slot_of(literal));
  });
}

CircuitImport::CircuitImport(const Circuit& circuit, Nodes& nodes, const Roots& roots)
    : circuit_(circuit),
      nodes_(nodes),
      literal_(circuit.n_slots(), FALSE_LITERAL),
      needed_(slots_needed(circuit, roots)),
      in_loop_(circuit.gates_in_loops()) {
  for (std::uint32_t slot = 0; slot < circuit.first_set_slot(); ++slot) literal_[slot] = literal_of(slot);
}

void CircuitImport::import_sets() {
  for (std::size_t set = 0; set < circuit_.sets.size(); ++set) {
    replace(circuit_.set_slot(set), nodes_.plain_set(circuit_.sets[set]));
  }
}

void CircuitImport::import_gates(std::size_t first, std::size_t last) {
  std::vector<Literal> imported;
  import_gates(first, last, [&](std::span<const Literal> literals) {
    imported.clear();
    for (const Literal literal : literals) imported.push_back((*this)(literal));
    return nodes_.plain_conjunction(imported);
  });
}

Roots import_roots(const Circuit& circuit, Nodes& nodes, const Roots& roots) {
  CircuitImport imported(circuit, nodes, roots);
  imported.import_sets();
  imported.import_state_gates();
  imported.import_move_gates();
  return renamed(roots, imported);
}

std::vector<Literal> CircuitImport::operator()(std::span<const Literal> literals) const {
  std::vector<Literal> imported;
  for (const Literal literal : literals) imported.push_back((*this)(literal));
  return imported;
}

}  // namespace gdl
