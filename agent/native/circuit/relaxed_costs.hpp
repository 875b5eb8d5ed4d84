// The cost of the best goal of each role, if nobody stood in the way and nothing were lost, as facts beside those of a
// state (delete relaxation with additive costs: Bonet & Geffner 2001).
//
// A fluent that holds costs 0. A gate costs the sum of its literals, and its complement costs the least of them. A
// fluent that does not hold costs one more than the cheapest legal move of the role that brings it about. The other
// roles make any move, at no cost. A role has a fact for each cost above 0, of which at most one holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "circuit/lists.hpp"
#include "circuit/literal.hpp"

namespace gdl {

enum class CostStep : std::uint8_t {
  Sum,    // of the slots that it reads
  Least,  // of the slots that it reads
  Move,   // one more than the least of them, if that is less than what the slot has
};

// Costs are made step by step, each from others before it; in a loop, again and again until none changes.
struct RelaxedCosts {
  // Stands for itself, for all that costs more, and for what never comes about.
  static constexpr std::uint8_t MOST = 15;
  static constexpr int MOST_SWEEPS = 64;  // over a loop; costs that still change then stay as they are
  static constexpr std::int32_t NO_SLOT = -1;

  std::vector<Literal> inputs;        // [slot] 2 * fluent + complement, at first 0 if it holds and MOST if not
  std::vector<std::uint8_t> initial;  // [slot after those] at first
  std::vector<std::uint8_t> kinds;    // [step] CostStep
  Lists<std::int32_t> steps;          // [step] the slot that it writes, then those that it reads, at least one
  std::vector<std::int32_t> loops;    // [loop, 2] the first step and the step after the last; ascending
  std::vector<std::int32_t> role;     // [role] the slot with its cost, NO_SLOT if it always costs the same

  bool empty() const { return role.empty(); }
  std::size_t n_slots() const { return inputs.size() + initial.size(); }
  // Fact role * MOST + cost - 1.
  std::size_t n_facts() const { return role.size() * MOST; }

  // Throws std::invalid_argument where numbers do not fit a game of so many fluents and roles.
  void check(std::int32_t n_fluents, std::int32_t n_roles) const;
  // Finds the cost to each role, [n_roles], in a packed state; 0 where it always is the same. Returns how many slots
  // were read by steps, or set before them.
  std::size_t find(const std::uint64_t* state, std::uint8_t* costs) const;

  friend bool operator==(const RelaxedCosts& one, const RelaxedCosts& other) {
    return one.inputs == other.inputs && one.initial == other.initial && one.kinds == other.kinds &&
           one.loops == other.loops && one.role == other.role && one.steps.start() == other.steps.start() &&
           one.steps.values() == other.steps.values();
  }

 private:
  struct Ran {
    std::size_t reads;
    bool changes;
  };
  Ran run(std::size_t step, std::vector<std::uint8_t>& slots) const;
};

}  // namespace gdl
