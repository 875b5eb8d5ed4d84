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

// Transposes 8x8 units of so many bits. The masks have the lower of the units that change places.
template <int Unit, class V>
GDL_INLINE void transpose_units(V (&vectors)[8], std::uint64_t wide, std::uint64_t middle, std::uint64_t narrow) {
  for (int i = 0; i < 4; ++i) exchange_blocks<4 * Unit>(vectors[i], vectors[i + 4], wide);
  for (int i = 0; i < 8; ++i) {
    if ((i & 2) == 0) exchange_blocks<2 * Unit>(vectors[i], vectors[i + 2], middle);
  }
  for (int i = 0; i < 8; i += 2) exchange_blocks<Unit>(vectors[i], vectors[i + 1], narrow);
}

template <class V>
GDL_INLINE void transpose_bits(V (&planes)[8]) {
  transpose_units<1>(planes, 0x0F0F0F0F0F0F0F0Fu, 0x3333333333333333u, 0x5555555555555555u);
}

// The 8x8 byte transposition between the 64-bit words at the same place: byte c of word w of vector g becomes byte g of
// word w of vector c.
template <class V>
GDL_INLINE void transpose_bytes(V (&vectors)[8]) {
  transpose_units<8>(vectors, 0x00000000FFFFFFFFu, 0x0000FFFF0000FFFFu, 0x00FF00FF00FF00FFu);
}

}  // namespace gdl::GDL_ISA
