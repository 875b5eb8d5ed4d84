// Memory that the searches of all players within a thread share: the pages of trees, and scratch memory, which stays in
// the cache because it is shared.
#pragma once

#include <cstdint>
#include <vector>

#include "hardware/page_source.hpp"
#include "scoring/scorer.hpp"

namespace gdl {

struct SearchMemory {
  PageSource pages;
  Scorer::Scratch scorer;
  std::vector<double> values;           // [moves of a role] values that selection compares
  std::vector<std::uint32_t> weights;   // [moves of a role]
  std::vector<std::uint64_t> keys;      // [moves of a role] weights and moves, to be sorted
  std::vector<float> shares;            // [moves of a role] in the order of their rows
  std::vector<std::uint32_t> order;     // [moves of a role] the moves, sorted by knowledge
  std::vector<float> priors;            // [moves of a role] in that order
  std::vector<std::uint32_t> place_of;  // [moves] place that knowledge has given each move, or edge of each move
  std::vector<std::int32_t> last_rows;  // [n_roles]
};

}  // namespace gdl
