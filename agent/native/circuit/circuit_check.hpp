// Checks whether a circuit is well-formed. All native code trusts a circuit that passed.
#pragma once

#include "circuit/circuit.hpp"

namespace gdl {

// Throws std::invalid_argument that names the array, the place and what was expected.
void check_circuit(const Circuit& circuit);

}  // namespace gdl
