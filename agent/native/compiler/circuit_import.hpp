// Takes a circuit over into nodes, with other literals in the place of some of its slots.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "compiler/nodes.hpp"

namespace gdl {

Roots roots_of(const Circuit& circuit);

// [slot] whether some roots need it.
std::vector<std::uint8_t> slots_needed(const Circuit& circuit, const Roots& roots);

// Fluents keep their numbers. The literals of sets, and replacements of other slots, must be given before the gates
// that read them are imported.
class CircuitImport {
 public:
  // Takes only the gates that `roots` need. The circuit and the nodes must outlive it.
  CircuitImport(const Circuit& circuit, Nodes& nodes, const Roots& roots);

  void replace(std::uint32_t slot, Literal literal) { literal_[slot] = literal; }
  // Imports the sets as they are.
  void import_sets();
  // Import gates in order, fold constants and make equal gates one.
  void import_state_gates() { import_gates(0, circuit_.n_state_gates); }
  void import_move_gates() { import_gates(circuit_.n_state_gates, circuit_.gates.size()); }
  // Imports all gates; `conjunction_of` makes the literal of a gate of the literals that it has in the circuit.
  template <class ConjunctionOf>
  void import_gates(ConjunctionOf conjunction_of) {
    import_gates(0, circuit_.gates.size(), conjunction_of);
  }

  // The literal that stands for one of the circuit.
  Literal operator()(Literal literal) const { return replaced(literal, literal_[slot_of(literal)]); }
  std::vector<Literal> operator()(std::span<const Literal> literals) const;

 private:
  void import_gates(std::size_t first, std::size_t last);
  template <class ConjunctionOf>
  void import_gates(std::size_t first, std::size_t last, ConjunctionOf conjunction_of);

  const Circuit& circuit_;
  Nodes& nodes_;
  std::vector<Literal> literal_;       // [slot of the circuit]
  std::vector<std::uint8_t> needed_;   // [slot of the circuit]
  std::vector<std::uint8_t> in_loop_;  // [gate]
};

// Imports the sets and the gates that some roots of a circuit need, and returns the roots over nodes.
Roots import_roots(const Circuit& circuit, Nodes& nodes, const Roots& roots);

// Gates of a loop read each other, so all of them get a node first.
template <class ConjunctionOf>
void CircuitImport::import_gates(std::size_t first, std::size_t last, ConjunctionOf conjunction_of) {
  for (std::size_t gate = first; gate < last; ++gate) {
    if (in_loop_[gate] == 0) continue;
    literal_[circuit_.gate_slot(gate)] = literal_of(nodes_.add_placeholder(circuit_.loop_initial[gate] != 0));
  }
  for (std::size_t gate = first; gate < last; ++gate) {
    if (needed_[circuit_.gate_slot(gate)] == 0) continue;
    const Literal conjunction = conjunction_of(circuit_.gates[gate]);
    Literal& literal = literal_[circuit_.gate_slot(gate)];
    if (in_loop_[gate] != 0) {
      nodes_.define(slot_of(literal), conjunction);
    } else {
      literal = conjunction;
    }
  }
}

}  // namespace gdl
