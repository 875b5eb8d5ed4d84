// Memory that the searches of all players within a thread share: the pages of trees, and scratch memory, which stays in
// the cache because it is shared.
#pragma once

#include <cstdint>
#include <vector>

#include "hardware/page_source.hpp"
#include "scoring/scorer.hpp"
#include "search/ranking.hpp"

namespace gdl {

struct SearchMemory {
  PageSource pages;
  Scorer::Scratch scorer;
  Ranking ranking{scorer};
  std::vector<double> values;           // [moves of a role] values that selection compares
  std::vector<std::uint32_t> weights;   // [moves of a role]
  std::vector<std::uint32_t> place_of;  // [moves] place that knowledge has given each move, or edge of each move
  std::vector<std::int32_t> last_rows;  // [n_roles]
};

}  // namespace gdl
