// A few lanes of many vectors, read out together: with AVX-512, two instructions bring the bits of 32 lanes, wherever
// they are, into one word.
#pragma once

#include <cstdint>

#include "lanes/vector.hpp"

namespace gdl::GDL_ISA {

template <class V>
class FewLanes {
 public:
#if defined(__AVX512BW__)
  static constexpr bool AVAILABLE = sizeof(V) == 64;
#else
  static constexpr bool AVAILABLE = false;
#endif
  static constexpr int MOST = 32;

  // Takes the first of `lanes`: at least one, at most MOST.
  explicit FewLanes(V lanes) {
    for (int word = 0; word < WORDS<V>; ++word) {
      for (std::uint64_t bits = lanes[word]; bits != 0 && count_ < MOST; bits &= bits - 1) {
        const int lane = word * 64 + __builtin_ctzll(bits);
        lane_[count_] = lane;
        place_[count_] = static_cast<std::uint16_t>(lane / 16);
        bit_[count_++] = static_cast<std::uint16_t>(1u << (lane % 16));
      }
    }
  }

  int count() const { return count_; }
  int lane(int i) const { return lane_[i]; }

#if defined(__AVX512BW__)
  // Bit i: whether `vector` holds in lane(i).
  GDL_INLINE std::uint32_t of(V vector) const {
    const __m512i elements =
        _mm512_maskz_permutexvar_epi16(0xFFFFFFFFu, _mm512_load_si512(place_), reinterpret_cast<__m512i>(vector));
    return _mm512_test_epi16_mask(elements, _mm512_load_si512(bit_));
  }

  // Bit f: bit i of words[f].
  static GDL_INLINE std::uint64_t column(const std::uint32_t (&words)[64], int i) {
    std::uint64_t column = 0;
    const __m512i bit = _mm512_set1_epi32(static_cast<int>(1u << i));
    for (int quarter = 0; quarter < 4; ++quarter) {
      const __mmask16 bits = _mm512_test_epi32_mask(_mm512_loadu_si512(words + 16 * quarter), bit);
      column |= std::uint64_t{bits} << (16 * quarter);
    }
    return column;
  }
#endif

 private:
  alignas(64) std::uint16_t place_[MOST] = {};  // the element that holds a lane and its 15 neighbours
  alignas(64) std::uint16_t bit_[MOST] = {};    // the lane's bit in that element; 0 past the last lane
  int lane_[MOST];
  int count_ = 0;
};

}  // namespace gdl::GDL_ISA
