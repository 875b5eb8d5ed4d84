// The states after each move of the role that chooses, as literals over the fluents of the state before.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "program/assumptions.hpp"
#include "program/partial_evaluation.hpp"

namespace gdl {

// Questions that would take more work than this bound are given up.
struct TooMuchWork {};

// The consequence of a row being legal.
enum class RowKind : std::uint8_t {
  Dead,      // it never is
  Idle,      // its role has no other legal row
  Choosing,  // no other role has several legal rows
  Unclear,
};

// A circuit that tells of a state whether it is terminal, and, as its goals, whether some literals over nodes hold.
Circuit question_of(const Nodes& nodes, Literal terminal, std::vector<Literal> literals);

class AfterMoves {
 public:
  // `now`: the circuit of the state. All arguments must outlive it.
  AfterMoves(const Circuit& now, Nodes& nodes, const MutualExclusion& exclusion);

  // [row]
  const std::vector<RowKind>& kinds() const { return kinds_; }

  // Calls each(row) for every row of the kind Choosing, when the literals of `wanted`, which belong to `question`, can
  // be asked for by after(literal): what they are in the state after the row. Nodes are made under the assumptions that
  // the state is not terminal and the row is legal. Throws TooMuchWork.
  void for_each(const Circuit& question, std::span<const Literal> wanted,
                const std::function<void(std::int32_t)>& each);

  // To be called by each(row).
  Literal after(Literal literal) const { return (*after_)(literal); }
  Assumptions& assumptions() { return assumptions_; }

 private:
  void evaluate_state();
  void find_kinds();
  // The only row of a role that may be legal under the assumptions: NO_ROW if none may be, SEVERAL_ROWS if several may.
  std::int32_t only_row(std::int32_t role) const;
  void choose(std::int32_t row);

  const Circuit& now_;
  Nodes& nodes_;
  Assumptions assumptions_;
  std::vector<Literal> legal_;                          // [row] over nodes
  std::vector<RowKind> kinds_;                          // [row]
  std::vector<std::vector<std::int32_t>> sets_of_row_;  // [row]
  PartialEvaluation moved_;
  PartialEvaluation* after_ = nullptr;  // while each(row) is called
  std::uint64_t work_ = 0;
};

}  // namespace gdl
