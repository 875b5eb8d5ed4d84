// Common parts of move sets: what several sets contain is worked out once.
#pragma once

#include <cstdint>
#include <vector>

#include "circuit/circuit.hpp"

namespace gdl {

// Elements are rows (numbers below the number of rows) and parts (part p is number of rows + p).
struct FactoredSets {
  std::vector<std::vector<std::int32_t>> sets;   // [set] elements
  std::vector<std::vector<std::int32_t>> parts;  // [part] elements; no part contains itself
};

// Greedy, the largest part that two sets have in common first: each set that contains it gets it as one element, and it
// is a set itself from then on. Keeps sets as they are where there are too many to compare.
FactoredSets factor_sets(const Circuit& circuit);

}  // namespace gdl
