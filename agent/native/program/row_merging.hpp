// Moves that are never legal together, as one row: the pieces that may stand on a square and go the same way from it.
//
// Choosing counts every row and marks every row. Where the rules say (and MutualExclusion proves) that at most one of
// some rows is legal in a state, they become one row, legal where one of them is; a fluent tells which of them it is.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "circuit/circuit.hpp"
#include "program/mutual_exclusion.hpp"

namespace gdl {

inline constexpr std::int32_t NO_KEY = -1;

struct RowMerging {
  std::vector<std::int32_t> merged;      // [row] its merged row; ascends with the first of the rows merged
  std::vector<std::int32_t> key;         // [row] a fluent that holds where it is legal; NO_KEY for a row left alone
  std::vector<std::int32_t> group;       // [row] number of the group its key was taken from, or -1
  std::vector<std::int32_t> move_start;  // [n_roles + 1] merged rows of role r: move_start[r] .. move_start[r + 1]

  std::int32_t n_merged() const { return move_start.back(); }
  // Merged rows and the rows each stands for, ascending.
  std::vector<std::vector<std::int32_t>> members() const;
};

// Rows of one role, with keys of one group that exclude each other, and in the same sets as far as these do not part
// the keys. Deterministic.
RowMerging merge_rows(const Circuit& circuit, const FluentGroups& groups, const MutualExclusion& exclusion);

// The circuit over merged rows, simplified. It gives the same as `circuit` in every state that play can reach.
Circuit circuit_of_merged_rows(const Circuit& circuit, const RowMerging& merging);

// What lanes run where merging pays.
struct MergedRows {
  RowMerging merging;
  Circuit circuit;
};

// Null where it does not. `groups` suggest keys; what they suggest is proven or not used.
std::shared_ptr<const MergedRows> merge_where_worthwhile(const Circuit& circuit, const FluentGroups& groups);

}  // namespace gdl
