// Makes moves that are never legal together one row: the pieces that may stand on a square and go the same way from it.
//
// Choosing counts every row and marks every row. If the rules say (and MutualExclusion proves) that at most one of some
// rows is legal in a state, they become one row, which is legal where one of them is; a fluent tells which of them it
// is.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "circuit/circuit.hpp"
#include "program/mutual_exclusion.hpp"

namespace gdl {

using RowList = std::vector<std::int32_t>;

inline constexpr std::int32_t NO_KEY = -1;

struct RowMerging {
  std::vector<std::int32_t> merged;      // [row] its merged row; merged rows are in the order of their first rows
  std::vector<std::int32_t> key;         // [row] a fluent that holds where it is legal; NO_KEY for a row left alone
  std::vector<std::int32_t> group;       // [row] the group that its key was taken from, or -1
  std::vector<std::int32_t> move_start;  // [n_roles + 1] merged rows of role r: move_start[r] .. move_start[r + 1]

  std::int32_t n_merged() const { return move_start.back(); }
  // [merged row] the rows that it stands for, ascending.
  std::vector<RowList> members() const;
};

// The simplified circuit over merged rows. In every state that play can reach, the results are those of `circuit`.
Circuit circuit_of_merged_rows(const Circuit& circuit, const RowMerging& merging);

// The rows and the circuit that lanes use if merging pays.
struct MergedRows {
  RowMerging merging;
  Circuit circuit;
};

// Returns null if merging does not pay. `groups` suggest keys; suggestions that cannot be proven are not used.
std::shared_ptr<const MergedRows> merge_where_worthwhile(const Circuit& circuit, const FluentGroups& groups);

}  // namespace gdl
