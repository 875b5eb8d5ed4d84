// Reading lanes out of vectors: many by transposition, of a few only the bits that are there.
#pragma once

#include <cstdint>
#include <vector>

#include "lanes/few_lanes.hpp"
#include "lanes/lane_words.hpp"
#include "lanes/vector.hpp"
#include "program/program.hpp"

namespace gdl::GDL_ISA {

// Calls visit(lane) for every lane of `lanes`, ascending.
template <class V, class Visit>
GDL_INLINE void for_each_lane(V lanes, Visit visit) {
  for (int word = 0; word < WORDS<V>; ++word) {
    for (std::uint64_t bits = lanes[word]; bits != 0; bits &= bits - 1) {
      visit(word * 64 + __builtin_ctzll(bits));
    }
  }
}

// Does what list_rows() does for several runs, 64 rows at a time.
template <class V>
void list_rows_of_many(const V* legal, const std::vector<std::vector<RowRun>>& live, V mask,
                       std::vector<std::int32_t>* lists) {
  V block[64];
  std::int32_t numbers[64];
  int count = 0;
  const auto list_block = [&] {
    const LaneWords<V> rows(block, count);
    for_each_lane(mask, [&](int lane) {
      std::vector<std::int32_t>& list = lists[lane];
      std::size_t place = list.size();
      std::uint64_t bits = rows[lane];
      list.resize(place + static_cast<std::size_t>(__builtin_popcountll(bits)));
      for (; bits != 0; bits &= bits - 1) list[place++] = numbers[__builtin_ctzll(bits)];
    });
    count = 0;
  };
  for (const std::vector<RowRun>& runs : live) {
    for (const RowRun& run : runs) {
      for (std::int32_t row = run.first; row < run.first + run.rows; ++row) {
        block[count] = legal[row];
        numbers[count++] = row;
        if (count == 64) list_block();
      }
    }
  }
  if (count != 0) list_block();
}

// Appends to lists[lane], for the lanes of `mask`, the numbers of the rows that are legal there.
template <class V>
void list_rows(const V* legal, RowRun run, V mask, std::vector<std::int32_t>* lists) {
  if constexpr (FewLanes<V>::AVAILABLE) {
    const FewLanes<V> few(mask);
    for (std::int32_t row = run.first; row < run.first + run.rows; ++row) {
      for (std::uint32_t bits = few.of(legal[row]); bits != 0; bits &= bits - 1) {
        lists[few.lane(__builtin_ctz(bits))].push_back(row);
      }
    }
    return;
  }
  for (std::int32_t row = run.first; row < run.first + run.rows; ++row) {
    const V lanes = legal[row] & mask;
    if (!any(lanes)) continue;
    for_each_lane(lanes, [&](int lane) { lists[lane].push_back(row); });
  }
}

template <class V>
void pack_few_states(const V* fluents, std::int32_t n_fluents, V mask, std::uint64_t* out, std::int32_t state_words) {
  if (!any(mask)) return;
  const FewLanes<V> few(mask);
  for (std::int32_t word = 0; word < state_words; ++word) {
    std::uint32_t values[64] = {};
    const V* first = fluents + 64 * word;
    const std::int32_t count = n_fluents - 64 * word < 64 ? n_fluents - 64 * word : 64;
    for (std::int32_t fluent = 0; fluent < count; ++fluent) values[fluent] = few.of(first[fluent]);
    for (int i = 0; i < few.count(); ++i) out[few.lane(i) * state_words + word] = FewLanes<V>::column(values, i);
  }
}

template <class V>
void pack_many_states(const V* fluents, std::int32_t n_fluents, V mask, std::uint64_t* out, std::int32_t state_words) {
  for (std::int32_t word = 0; word < state_words; ++word) {
    const std::int32_t left = n_fluents - 64 * word;
    const LaneWords<V> states(fluents + 64 * word, left < 64 ? left : 64);
    for_each_lane(mask, [&](int lane) { out[lane * state_words + word] = states[lane]; });
  }
}

// Packs the states of the lanes of `mask` to out + lane * state_words.
template <class V>
void pack_states(const V* fluents, std::int32_t n_fluents, V mask, std::uint64_t* out, std::int32_t state_words) {
  if (count_lanes(mask) >= LaneWords<V>::LEAST) return pack_many_states(fluents, n_fluents, mask, out, state_words);
  if constexpr (FewLanes<V>::AVAILABLE) return pack_few_states(fluents, n_fluents, mask, out, state_words);
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

}  // namespace gdl::GDL_ISA
