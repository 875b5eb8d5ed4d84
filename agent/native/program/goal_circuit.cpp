#include "program/goal_circuit.hpp"

#include <algorithm>

#include "compiler/circuit_import.hpp"
#include "compiler/circuit_layout.hpp"

namespace gdl {

namespace {

// Keeping a state until its goals are asked for costs about so many literals a fluent.
constexpr std::size_t COST_OF_FLUENT = 4;

Roots roots_of_play(const Circuit& circuit) {
  Roots roots = roots_of(circuit);
  std::ranges::fill(roots.goals, FALSE_LITERAL);
  return roots;
}

Roots roots_of_goals(const Circuit& circuit) {
  const std::vector<Literal> never(circuit.next.size(), FALSE_LITERAL);
  return {{}, FALSE_LITERAL, circuit.goal_literal, never, {}};
}

// The number of literals of the gates that some roots need.
std::size_t literals_needed(const Circuit& circuit, const Roots& roots) {
  const std::vector<std::uint8_t> needed = slots_needed(circuit, roots);
  std::size_t count = 0;
  for (std::size_t gate = 0; gate < circuit.gates.size(); ++gate) {
    if (needed[circuit.gate_slot(gate)] != 0) count += circuit.gates[gate].size();
  }
  return count;
}

}  // namespace

bool goals_are_costly(const Circuit& circuit) {
  const std::size_t all = literals_needed(circuit, roots_of(circuit));
  const std::size_t alone = all - literals_needed(circuit, roots_of_play(circuit));
  return alone > COST_OF_FLUENT * static_cast<std::size_t>(circuit.n_fluents) &&
         2 * alone > literals_needed(circuit, roots_of_goals(circuit));
}

Circuit without_goals(const Circuit& circuit) {
  Nodes nodes(circuit.n_fluents, circuit.move_start);
  return lay_out_like(circuit, nodes, import_roots(circuit, nodes, roots_of_play(circuit)));
}

Circuit goals_alone(const Circuit& circuit) {
  const Roots roots = roots_of_goals(circuit);
  Nodes nodes(circuit.n_fluents, std::vector<std::int32_t>(circuit.move_start.size(), 0));
  CircuitImport imported(circuit, nodes, roots);
  imported.import_state_gates();
  return lay_out_like(circuit, nodes, renamed(roots, imported));
}

}  // namespace gdl
