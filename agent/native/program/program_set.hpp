// The programs of a game: one for each turn, or one for all states.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "program/decisive_moves.hpp"
#include "program/program.hpp"
#include "program/row_merging.hpp"
#include "program/turns.hpp"

namespace gdl {

enum class TurnPolicy : std::uint8_t {
  Ignore,  // one program, right for every state
  Follow,  // a program for each turn; lanes of other turns wait
};

// Programs share TRUE and the fluents and nothing else: each has its own slots for next fluents, rows and gates, so
// that constants stay where they are.
struct ProgramSet {
  Turns turns;                               // a single turn without fluents if turns are ignored
  std::vector<Program> programs;             // [turn]
  std::uint32_t n_slots = 0;                 // slots of all programs together
  double step_cost = 0;                      // cost of a step of a state, about in literals read; the mean of all turns
  std::optional<Program> goals;              // only if goals are costly: the others tell none. Its slots are its own
  double goal_cost = 0;                      // the cost of that program
  std::shared_ptr<const MergedRows> merged;  // only if rows are merged: the programs are those of its circuit

  const Circuit& circuit_run(const Circuit& game) const { return merged ? merged->circuit : game; }
};

// Makes one program. Throws as compile_program() does.
ProgramSet compile_programs(const Circuit& circuit);
// Makes a program for each turn, if that makes a step a good deal cheaper.
ProgramSet compile_programs(const Circuit& circuit, const Turns& turns);

}  // namespace gdl
