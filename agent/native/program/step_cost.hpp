// The cost of a step of random playouts, by which circuits are compared.
#pragma once

#include <algorithm>

#include "circuit/circuit.hpp"

namespace gdl {

// In literals that one program for all states reads.
inline double step_cost(const Circuit& circuit) {
  constexpr double COST_OF_ROW = 8;  // of counting and picking it
  const auto rows = std::ranges::count_if(circuit.legal, [](Literal literal) { return literal != FALSE_LITERAL; });
  return static_cast<double>(circuit.gates.values().size() + circuit.sets.values().size()) +
         COST_OF_ROW * static_cast<double>(rows);
}

}  // namespace gdl
