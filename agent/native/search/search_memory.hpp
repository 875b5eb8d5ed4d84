// What all searches within a thread share, whoever plays: the memory of trees, and scratch memory, which then stays in
// the cache.
#pragma once

#include <cstdint>
#include <vector>

#include "hardware/page_source.hpp"
#include "scoring/scorer.hpp"
#include "search/ngram_table.hpp"
#include "search/ranking.hpp"

namespace gdl {

struct SearchMemory {
  PageSource pages;
  Scorer::Scratch scorer;
  Ranking ranking{scorer};
  std::vector<double> values;                        // [moves of a role] what selection compares
  std::vector<std::uint32_t> weights;                // [moves of a role]
  std::vector<std::uint32_t> place_of;               // [moves of all roles] where knowledge has put each
  std::vector<std::int32_t> last_rows;               // [n_roles]
  std::vector<std::int32_t> rows;                    // some moves of a role, or a joint move
  std::vector<std::int32_t> roles;                   // some roles
  std::vector<NGramTable::NGramEstimate> estimates;  // [moves of a role]
};

}  // namespace gdl
