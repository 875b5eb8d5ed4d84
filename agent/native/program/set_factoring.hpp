// Common parts of move sets: rows that several sets contain are looked at once.
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

// The search is greedy and takes the largest part that two sets have in common first. Every set that contains the part
// gets it as one element, and the part itself is a set from then on. Where there are too many sets to compare, they
// stay as they are.
FactoredSets factor_sets(const Circuit& circuit);

}  // namespace gdl
