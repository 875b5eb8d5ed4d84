// A measure of how much of a goal is missing: goal counting over the gates of the circuit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "circuit/circuit.hpp"

namespace gdl {

// The number of fluents that would have to change for a literal to hold, if conditions did not influence each other: a
// conjunction lacks the sum of what its conditions lack, a disjunction the least of them. It is 0 where the literal
// holds.
class GoalDistance {
 public:
  // The gates of the literal must be of phase A. A gate in a loop counts as satisfied. A goal with more than MOST_TERMS
  // literals has the distance 0 everywhere.
  GoalDistance(const Circuit& circuit, Literal goal);

  // The distance to the largest goal of the only role.
  static GoalDistance of_largest_goal(const Circuit& circuit);

  // The distance from a packed state. Not for several threads at once.
  std::int32_t operator()(const std::uint64_t* state);

  static constexpr std::size_t MOST_TERMS = 4000;
  static constexpr std::int32_t IMPOSSIBLE = 1 << 16;  // larger distances are cut to this

 private:
  struct Gate {
    std::uint32_t first, last;  // part of terms_
  };

  std::vector<std::int32_t> fluents_;  // read by the gates; fluent i is place i + 1
  std::vector<Gate> gates_;            // in the order of evaluation; they follow the fluents in `lacking_`
  std::vector<std::uint32_t> terms_;   // 2 * place + complement
  std::vector<std::int32_t> lacking_;  // [2 * place + complement] what the value lacks to be true or, next to it, false
  std::uint32_t goal_ = 0;             // 2 * place + complement
};

}  // namespace gdl
