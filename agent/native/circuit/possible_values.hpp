// A three-valued simulation from the initial state (Seger & Bryant 1995) finds what no match can reach.
#pragma once

#include <cstdint>
#include <vector>

#include "circuit/circuit.hpp"

namespace gdl {

// Sets of the values that a slot may have.
inline constexpr std::uint8_t MAY_BE_FALSE = 1;
inline constexpr std::uint8_t MAY_BE_TRUE = 2;

// Values outside these sets occur in no state that play can reach. The other way round nothing is proven: slots are
// looked at one by one, as if they did not depend on each other.
struct PossibleValues {
  std::vector<std::uint8_t> fluents;  // [fluent] set of values
  std::vector<std::uint8_t> rows;     // [row] whether it may be legal
};

// The circuit must be well-formed. Takes time in proportion to the literals of the circuit.
PossibleValues possible_values(const Circuit& circuit);

}  // namespace gdl
