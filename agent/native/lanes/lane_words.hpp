// Many lanes of up to 64 vectors, read out together: one word of each lane, by transposition.
#pragma once

#include <cstdint>

#include "lanes/bit_transpose.hpp"
#include "lanes/few_lanes.hpp"
#include "lanes/vector.hpp"

namespace gdl::GDL_ISA {

template <class V>
class LaneWords {
 public:
  static constexpr int LEAST = FewLanes<V>::MOST + 1;  // fewer lanes are read faster by FewLanes, or one by one

  // Reads `count` (at most 64) vectors.
  LaneWords(const V* vectors, int count) {
    V groups[8][8];
    for (int group = 0; group < 8; ++group) {
      for (int i = 0; i < 8; ++i) {
        groups[group][i] = 8 * group + i < count ? vectors[8 * group + i] : zeros<V>();
      }
      if (8 * group < count) transpose_bits(groups[group]);
    }
    for (int j = 0; j < 8; ++j) {
      V words[8];
      for (int group = 0; group < 8; ++group) words[group] = groups[group][j];
      transpose_bytes(words);
      for (int c = 0; c < 8; ++c) {
        for (int word = 0; word < WORDS<V>; ++word) word_[(word * 8 + c) * 8 + j] = words[c][word];
      }
    }
  }

  // Bit v: whether vector v holds in the lane.
  std::uint64_t operator[](int lane) const { return word_[lane]; }

 private:
  std::uint64_t word_[LANES<V>];
};

}  // namespace gdl::GDL_ISA
