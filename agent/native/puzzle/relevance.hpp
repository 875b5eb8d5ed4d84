// Tells the fluents apart that make states differ for a single player who looks for a line to a goal.
#pragma once

#include <cstdint>
#include <vector>

#include "circuit/circuit.hpp"

namespace gdl {

// Packed masks of fluents.
struct Relevance {
  // Fluents on which moves, the end of the match or goals depend, now or later. States that agree on them are equal
  // for every purpose.
  std::vector<std::uint64_t> relevant;
  // The relevant fluents without step counters. A step counter is a set of fluents that change in the same way whatever
  // is played, and on which no move and no other fluent depends: it is a function of the number of moves made, and
  // decides only about the end and the goals.
  std::vector<std::uint64_t> lasting;

  bool has_counter() const { return relevant != lasting; }
};

Relevance find_relevance(const Circuit& circuit);

}  // namespace gdl
