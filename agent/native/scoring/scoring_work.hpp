// The work of scoring in logical operations, which does not depend on the instruction set.
#pragma once

#include <cstdint>

namespace gdl {

struct ScoringWork {
  std::int64_t boards = 0;     // boards set up
  std::int64_t occupants = 0;  // pieces put on them
  std::int64_t tests = 0;      // lists of pieces and distances read for a target; of a long list, each piece
  std::int64_t patterns = 0;   // tables of patterns looked up for a target
  std::int64_t runs = 0;       // runs of cells read for the keys of patterns
  std::int64_t unions = 0;     // cells of tables of conditions united: four fluents or items, up to 256 conditions
  std::int64_t slots = 0;      // amounts copied, because conditions may change them
  std::int64_t hits = 0;       // amounts changed by conditions that hold
};

}  // namespace gdl
