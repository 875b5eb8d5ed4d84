// The reading of pieces around targets, for every instruction set; all give the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "scoring/scoring_plan.hpp"

namespace gdl {

// Lists of cells around points, and what lies there.
struct PieceLists {
  std::span<const std::uint8_t> cells;  // occupant codes, 0 for none
  const std::uint16_t* lists;           // [point * length] cells, those to be read first first
  std::int32_t length;                  // a multiple of 8
};

struct ScoringKernels {
  // Leads an automaton along the occupied cells of each target's list; joins what the lists on its way add (`adds`
  // [slot]) to the target's value. Whether of all features or, with ranks, of the first.
  void (*add_pieces)(const PieceAutomaton& automaton, const PieceLists& around, std::span<const std::int32_t> targets,
                     const std::int32_t* adds, std::int32_t* values);
  void (*first_pieces)(const PieceAutomaton& automaton, const PieceLists& around, std::span<const std::int32_t> targets,
                       const std::int32_t* adds, std::int32_t* values);
};

// Throws as check_instruction_set() does.
const ScoringKernels& scoring_kernels(const std::string& isa);

}  // namespace gdl
