// What a step of random playouts costs, to compare circuits with.
#pragma once

#include <algorithm>

#include "circuit/circuit.hpp"

namespace gdl {

// In literals read by one program for all states.
inline double step_cost(const Circuit& circuit) {
  constexpr Literal NEVER = 1;
  constexpr double COST_OF_ROW = 8;  // counting and picking
  const auto rows = std::ranges::count_if(circuit.legal, [](Literal literal) { return literal != NEVER; });
  return static_cast<double>(circuit.gate_literals.size() + circuit.set_rows.size()) +
         COST_OF_ROW * static_cast<double>(rows);
}

}  // namespace gdl
