// The rows of the game behind the merged rows that a program may find legal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lanes/listing.hpp"
#include "program/row_merging.hpp"

namespace gdl::GDL_ISA {

class UnmergedRows {
 public:
  UnmergedRows(const RowMerging& merging, const Program& program) {
    std::vector<std::uint8_t> live(static_cast<std::size_t>(merging.n_merged()), 0);
    for (const auto& runs : program.live_rows) {
      for (const RowRun& run : runs) std::fill_n(live.begin() + run.first, run.rows, 1);
    }
    for (std::size_t row = 0; row < merging.merged.size(); ++row) {
      if (live[static_cast<std::size_t>(merging.merged[row])] == 0) continue;
      rows_.push_back({static_cast<std::int32_t>(row), merging.merged[row], merging.key[row]});
    }
  }

  // Lists like list_rows(), for all roles.
  template <class V>
  void list(const V* legal, const V* fluents, V mask, std::vector<std::int32_t>* lists) const {
    if constexpr (FewLanes<V>::AVAILABLE) {
      if (const FewLanes<V> few(mask); count_lanes(mask) <= FewLanes<V>::MOST) {
        for (const UnmergedRow& each : rows_) {
          std::uint32_t bits = few.of(legal[each.merged]);
          if (bits != 0 && each.key != NO_KEY) bits &= few.of(fluents[each.key]);
          for (; bits != 0; bits &= bits - 1) lists[few.lane(__builtin_ctz(bits))].push_back(each.row);
        }
        return;
      }
    }
    for_each(legal, fluents, mask,
             [&](std::int32_t row, V lanes) { for_each_lane(lanes, [&](int lane) { lists[lane].push_back(row); }); });
  }

  // Calls visit(row, lanes) for the rows of the game, ascending, that are legal in some lanes of `mask`.
  template <class V, class Visit>
  void for_each(const V* legal, const V* fluents, V mask, Visit visit) const {
    for (const UnmergedRow& each : rows_) {
      V lanes = legal[each.merged] & mask;
      if (each.key != NO_KEY) lanes &= fluents[each.key];
      if (any(lanes)) visit(each.row, lanes);
    }
  }

 private:
  struct UnmergedRow {
    std::int32_t row, merged, key;
  };
  std::vector<UnmergedRow> rows_;  // ascending
};

}  // namespace gdl::GDL_ISA
