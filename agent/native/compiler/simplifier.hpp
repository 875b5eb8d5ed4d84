// Makes circuits smaller and keeps their roots.
#pragma once

#include "compiler/nodes.hpp"
#include "compiler/pace.hpp"

namespace gdl {

// Folds, absorbs, inlines and factors until that no longer pays, then shares pairs of literals that many gates ask for.
// Renames `roots` to the new nodes.
Nodes simplified(Nodes nodes, Roots& roots, Pace& pace);

// Gives gates of their own to the pairs of literals that many of `gates` ask for. The search is greedy and takes the
// most frequent pair first, as in the extraction of common cubes (Brayton & McMullen 1982).
void share_pairs(Nodes& nodes, const std::vector<std::uint32_t>& gates, Pace& pace);

}  // namespace gdl
