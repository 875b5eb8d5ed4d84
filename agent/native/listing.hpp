// Reading a few lanes out of vectors: one test per vector, then only the bits that are there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "program.hpp"
#include "row_merging.hpp"
#include "vector.hpp"

namespace gdl {
inline namespace GDL_ISA {

// Calls visit(lane) for every lane of `lanes`, ascending.
template <class V, class Visit>
GDL_INLINE void for_each_lane(V lanes, Visit visit) {
  for (int word = 0; word < WORDS<V>; ++word) {
    for (std::uint64_t bits = lanes[word]; bits != 0; bits &= bits - 1) {
      visit(word * 64 + __builtin_ctzll(bits));
    }
  }
}

// Appends to lists[lane] the numbers of the rows that are legal in it, for the lanes of `mask`.
template <class V>
void list_rows(const V* legal, RowRun run, V mask, std::vector<std::int32_t>* lists) {
  for (std::int32_t row = run.first; row < run.first + run.rows; ++row) {
    const V lanes = legal[row] & mask;
    if (!any(lanes)) continue;
    for_each_lane(lanes, [&](int lane) { lists[lane].push_back(row); });
  }
}

// The rows of the game behind merged ones that a program may find legal.
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

  // As list_rows(), for all roles.
  template <class V>
  void list(const V* legal, const V* fluents, V mask, std::vector<std::int32_t>* lists) const {
    for (const Row& each : rows_) {
      V lanes = legal[each.merged] & mask;
      if (each.key != NO_KEY) lanes &= fluents[each.key];
      if (!any(lanes)) continue;
      for_each_lane(lanes, [&](int lane) { lists[lane].push_back(each.row); });
    }
  }

 private:
  struct Row {
    std::int32_t row, merged, key;
  };
  std::vector<Row> rows_;  // ascending
};

// Packs the states of the lanes of `mask` to out + lane * state_words.
template <class V>
void pack_states(const V* fluents, std::int32_t n_fluents, V mask, std::uint64_t* out, std::int32_t state_words) {
  const auto words = static_cast<std::size_t>(state_words);
  for_each_lane(mask, [&](int lane) {
    std::uint64_t* state = out + static_cast<std::size_t>(lane) * words;
    for (std::size_t word = 0; word < words; ++word) state[word] = 0;
  });
  for (std::int32_t fluent = 0; fluent < n_fluents; ++fluent) {
    const V lanes = fluents[fluent] & mask;
    if (!any(lanes)) continue;
    const auto word = static_cast<std::size_t>(fluent / 64);
    const std::uint64_t bit = std::uint64_t{1} << (fluent % 64);
    for_each_lane(lanes, [&](int lane) { out[static_cast<std::size_t>(lane) * words + word] |= bit; });
  }
}

// Replaces the states of the lanes of `mask` by the packed ones at states + lane * state_words.
template <class V>
void unpack_states(V* fluents, std::int32_t n_fluents, V mask, const std::uint64_t* states, std::int32_t state_words) {
  const auto words = static_cast<std::size_t>(state_words);
  for (std::int32_t fluent = 0; fluent < n_fluents; ++fluent) fluents[fluent] &= ~mask;
  auto* lanes_of_fluents = reinterpret_cast<char*>(fluents);
  for_each_lane(mask, [&](int lane) {
    const std::uint64_t* state = states + static_cast<std::size_t>(lane) * words;
    char* lane_word = lanes_of_fluents + lane / 64 * 8;
    const std::uint64_t bit = std::uint64_t{1} << (lane % 64);
    for (std::size_t word = 0; word < words; ++word) {
      for (std::uint64_t bits = state[word]; bits != 0; bits &= bits - 1) {
        char* place = lane_word + (word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))) * sizeof(V);
        std::uint64_t lanes;
        std::memcpy(&lanes, place, 8);
        lanes |= bit;
        std::memcpy(place, &lanes, 8);
      }
    }
  });
}

}  // namespace GDL_ISA
}  // namespace gdl
