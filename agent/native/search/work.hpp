// The work of searches in logical operations. It does not depend on the width, the instruction set or the other matches
// of a batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "scoring/scoring_work.hpp"

namespace gdl {

// The names in agent/search/uct.py are in this order.
enum class Operation : std::uint8_t {
  Playout,    // finished
  Draw,       // joint moves of playouts, drawn uniformly
  Weigh,      // joint moves of playouts, drawn by knowledge
  Pass,       // nodes passed in selection
  Compare,    // moves of roles with a choice at the nodes passed
  Open,       // nodes whose moves were listed
  List,       // moves of the nodes opened
  Rank,       // choices of a role at the nodes opened that knowledge ordered
  Score,      // their moves
  Choose,     // choices of a role in playouts that knowledge drew
  Candidate,  // their moves
  Value,      // states valued by the learned function at new nodes
  // These operations are what knowledge read for the choices (scoring/scoring_work.hpp).
  Board,
  Occupant,
  Test,
  Pattern,
  Run,
  Union,
  Slot,
  Hit,
};
inline constexpr std::size_t N_OPERATIONS = static_cast<std::size_t>(Operation::Hit) + 1;

class Work {
 public:
  void add(Operation operation, std::int64_t times = 1) { counts_[static_cast<std::size_t>(operation)] += times; }
  void add(const ScoringWork& scoring) {
    add(Operation::Board, scoring.boards);
    add(Operation::Occupant, scoring.occupants);
    add(Operation::Test, scoring.tests);
    add(Operation::Pattern, scoring.patterns);
    add(Operation::Run, scoring.runs);
    add(Operation::Union, scoring.unions);
    add(Operation::Slot, scoring.slots);
    add(Operation::Hit, scoring.hits);
  }
  const std::array<std::int64_t, N_OPERATIONS>& counts() const { return counts_; }
  Work& operator+=(const Work& other) {
    for (std::size_t operation = 0; operation < N_OPERATIONS; ++operation)
      counts_[operation] += other.counts_[operation];
    return *this;
  }

 private:
  std::array<std::int64_t, N_OPERATIONS> counts_{};
};

}  // namespace gdl
