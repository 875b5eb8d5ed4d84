// Bit planes to one byte per lane and back: the 8x8 bit transposition inside every 64-bit word
// (Warren, Hacker's Delight, 7-3), done by exchanging blocks between eight vectors.
//
// The bit of plane i at lane 8 * b + j becomes bit i of byte b of vector j. The operation is its own inverse.
#pragma once

#include "lanes/vector.hpp"

namespace gdl::GDL_ISA {

template <int Distance, class V>
GDL_INLINE void exchange_blocks(V& low, V& high, std::uint64_t mask) {
  const V difference = ((low >> Distance) ^ high) & splat<V>(mask);
  high ^= difference;
  low ^= difference << Distance;
}

template <class V>
GDL_INLINE void transpose_bits(V (&planes)[8]) {
  for (int i = 0; i < 4; ++i) exchange_blocks<4>(planes[i], planes[i + 4], 0x0F0F0F0F0F0F0F0Fu);
  for (int i = 0; i < 8; ++i) {
    if ((i & 2) == 0) exchange_blocks<2>(planes[i], planes[i + 2], 0x3333333333333333u);
  }
  for (int i = 0; i < 8; i += 2) exchange_blocks<1>(planes[i], planes[i + 1], 0x5555555555555555u);
}

}  // namespace gdl::GDL_ISA
