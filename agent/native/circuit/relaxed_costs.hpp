// The cost of the best goal of each role, if nobody stood in the way and nothing were lost, as facts beside those of a
// state (delete relaxation with additive costs: Bonet & Geffner 2001).
//
// A fluent that holds costs 0. A gate costs the sum of its literals, and its complement costs the least of them. A
// fluent that does not hold costs one more than the cheapest legal move of the role that brings it about. The other
// roles make any move, at no cost. A role has a fact for each cost above 0, of which at most one holds.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "circuit/lists.hpp"
#include "circuit/literal.hpp"

namespace gdl {

enum class CostStep : std::uint8_t {
  Sum,    // of its terms, at least one
  Least,  // of its terms, at least one
  Move,   // 0 where a literal holds, else one more than the least of its terms
};

// A term is a slot or several of them: the least of them in a sum, else their sum.
struct CostShape {
  CostStep kind;
  std::int32_t singles;
  std::int32_t pairs;
  std::int32_t triples;
  std::int32_t rest;  // slots of one more term, 0 if there is none

  static constexpr std::int32_t MOST_REST = 16;  // whose costs add up to less than 256

  std::int32_t reads() const { return singles + 2 * pairs + 3 * triples + rest; }
  // Numbers of a step before the slots that it reads: the slot that it writes, and the literal of a move.
  std::int32_t head() const { return kind == CostStep::Move ? 2 : 1; }
  friend auto operator<=>(const CostShape&, const CostShape&) = default;

  // The number of members; arrays have them in this order.
  static constexpr std::size_t NUMBERS = 5;
};

// Costs are made step by step, each from others before it; in a loop, again and again until none changes.
struct RelaxedCosts {
  // The largest cost; it also stands for all that is dearer and for what never comes about.
  static constexpr std::uint8_t MOST = 15;
  static constexpr int MOST_SWEEPS = 4096;  // over a loop; costs that still change then stay as they are
  static constexpr std::int32_t NO_SLOT = -1;

  std::vector<std::uint8_t> initial;  // [slot] at first; the slots after these are written before they are read
  std::vector<CostShape> shapes;      // of steps
  std::vector<std::int32_t> shape;    // [step] place among the shapes
  // [step] the slot that it writes; of a move, the literal 2 * fluent + complement; the slots of its terms, single ones
  // first, then pairs, triples and the rest.
  Lists<std::int32_t> steps;
  std::vector<std::int32_t> loops;  // [loop, 2] the first step and the step after the last; ascending
  std::vector<std::int32_t> role;   // [role] the slot with its cost, NO_SLOT if it always costs the same

  // Steps of a loop are run by blocks of so many.
  static constexpr std::int32_t BLOCK = 64;

  // Neighbouring steps of one shape, all in one block of one loop or in none.
  struct AlikeSteps {
    std::int32_t first;
    std::int32_t count;
    CostShape shape;
  };
  // See check().
  std::size_t n_slots = 0;
  std::vector<AlikeSteps> runs;
  std::vector<std::int32_t> block_runs;  // [block of a loop, and one after the last of each loop] the first run
  // [step] the steps of its loop that read what it writes, ascending; none outside loops.
  Lists<std::int32_t> followers;

  const CostShape& shape_of(std::size_t step) const { return shapes[static_cast<std::size_t>(shape[step])]; }
  // Fact role * MOST + cost - 1.
  std::size_t n_facts() const { return role.size() * MOST; }

  // Finds what follows from the other members. Throws std::invalid_argument where numbers do not fit a game of so many
  // fluents and roles.
  void check(std::int32_t n_fluents, std::int32_t n_roles);
  // Finds the cost to each role in packed states, [state, role], 0 where it always is the same. Returns what it takes
  // to look at these states together: slots that are written or read, steps that are run again as more than one.
  std::size_t find(std::span<const std::uint64_t> states, std::size_t n_states, std::uint8_t* costs) const;

  friend bool operator==(const RelaxedCosts& one, const RelaxedCosts& other) {
    return one.initial == other.initial && one.shapes == other.shapes && one.shape == other.shape &&
           one.loops == other.loops && one.role == other.role && one.steps.start() == other.steps.start() &&
           one.steps.values() == other.steps.values();
  }
};

}  // namespace gdl
