// Kernels that read the pieces around targets, for every instruction set. All give the same results.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "scoring/scoring_plan.hpp"

namespace gdl {

// Lists of cells around points, and the occupants of cells.
struct PieceLists {
  std::span<const std::uint8_t> cells;  // occupant codes, 0 for none
  const std::uint16_t* lists;           // [point * length] cells in the order of reading
  std::int32_t length;                  // a multiple of 8
};

struct ScoringKernels {
  // Leads an automaton along the occupied cells of the list of each target, and joins the amounts of the slots on its
  // way (`adds` [slot]) to the value of the target: by their sum or, with ranks, by the smallest.
  void (*add_pieces)(const PieceAutomaton& automaton, const PieceLists& around, std::span<const std::int32_t> targets,
                     const std::int32_t* adds, std::int32_t* values);
  void (*first_pieces)(const PieceAutomaton& automaton, const PieceLists& around, std::span<const std::int32_t> targets,
                       const std::int32_t* adds, std::int32_t* values);
};

// Throws the exceptions of check_instruction_set().
const ScoringKernels& scoring_kernels(const std::string& isa);

}  // namespace gdl
