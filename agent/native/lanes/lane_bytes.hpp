// Vectors read out as one byte for each lane and vector: 1 where the vector holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "lanes/lane_words.hpp"

namespace gdl::GDL_ISA {

// Writes bit i of `word` to byte i, for the first `count` (at most 64).
GDL_INLINE void write_bits(std::uint64_t word, std::uint8_t* bytes, int count) {
#if defined(__AVX512BW__)
  const std::uint64_t wanted = ~std::uint64_t{0} >> (64 - count);
  _mm512_mask_storeu_epi8(bytes, wanted, _mm512_maskz_set1_epi8(word, 1));
#else
  for (int first = 0; first < count; first += 8) {
    // The byte is copied to eight places; each keeps another bit of it, which is then carried to the lowest place.
    std::uint64_t spread = (word >> first & 0xFFu) * 0x0101010101010101u & 0x8040201008040201u;
    spread = (spread + 0x7F7F7F7F7F7F7F7Fu) >> 7 & 0x0101010101010101u;
    std::memcpy(bytes + first, &spread, static_cast<std::size_t>(std::min(8, count - first)));
  }
#endif
}

// Writes the bytes of the first `lanes` lanes, [lanes, columns]. `vector_of(column)` is the vector of a column.
template <class V, class VectorOf>
void write_lane_bytes(int lanes, std::int32_t columns, std::uint8_t* out, VectorOf vector_of) {
  for (std::int32_t first = 0; first < columns; first += 64) {
    V block[64];
    const int count = static_cast<int>(std::min<std::int32_t>(64, columns - first));
    V some = zeros<V>();
    for (int i = 0; i < count; ++i) some |= block[i] = vector_of(first + i);
    std::uint8_t* bytes = out + first;
    if (!any(some)) {
      for (int lane = 0; lane < lanes; ++lane, bytes += columns) std::memset(bytes, 0, static_cast<std::size_t>(count));
      continue;
    }
    const LaneWords<V> words(block, count);
    for (int lane = 0; lane < lanes; ++lane, bytes += columns) write_bits(words[lane], bytes, count);
  }
}

}  // namespace gdl::GDL_ISA
