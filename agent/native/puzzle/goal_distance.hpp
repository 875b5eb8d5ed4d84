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
//
// Some fluents never become false again once they are true, or never become true again: their next value is a
// disjunction or a conjunction with the fluent itself. A distance may take this into account; then it is IMPOSSIBLE
// where such a fluent keeps the literal from ever holding.
enum class Finality { Ignored, Counts };

class GoalDistance {
 public:
  // The gates of the literal must be of phase A. A gate in a loop counts as satisfied. A goal with more than MOST_TERMS
  // literals has the distance 0 everywhere.
  GoalDistance(const Circuit& circuit, Literal goal, Finality finality);

  // The distance to the largest goal of the only role.
  static GoalDistance of_largest_goal(const Circuit& circuit, Finality finality);

  // The distance from a packed state. Not for several threads at once.
  std::int32_t operator()(const std::uint64_t* state);

  static constexpr std::size_t MOST_TERMS = 4000;
  static constexpr std::int32_t IMPOSSIBLE = 1 << 16;  // larger distances are cut to this

 private:
  struct ReadFluent {
    std::int32_t fluent;
    std::int32_t to_fail;  // what it lacks to be false while it is true
    std::int32_t to_hold;  // what it lacks to be true while it is false
  };
  struct Condition {
    std::uint32_t first, last;  // part of terms_
  };

  std::vector<ReadFluent> fluents_;    // read by the gates; fluent i is place i + 1
  std::vector<Condition> gates_;       // in the order of evaluation; they follow the fluents in `lacking_`
  std::vector<std::uint32_t> terms_;   // 2 * place + complement
  std::vector<std::int32_t> lacking_;  // [2 * place + complement] what the value lacks to be true or, next to it, false
  std::uint32_t goal_ = 0;             // 2 * place + complement
};

}  // namespace gdl
