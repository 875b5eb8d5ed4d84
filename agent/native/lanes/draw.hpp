// Turns counts into choices: a uniform k below every lane's count, from one 32-bit draw per lane.
//
// k = floor(u * count / 2^32) for a uniform 32-bit u, so a choice's probability is off by less than 2^-32, that is by
// a factor within 1 +- count / 2^32. The low half of u * count is again (nearly) uniform, and serves the next role of
// the same draw: roles share a draw only while the product of their row counts stays within 2^20, which bounds every
// relative bias by 2^-12 (and by 2^-32 * product of the actual counts, typically below 10^-8).
#pragma once

#include "lanes/bit_transpose.hpp"
#include "lanes/choose.hpp"
#include "lanes/lane_streams.hpp"

namespace gdl::GDL_ISA {

inline constexpr std::int64_t SHARED_DRAW_PRODUCT = std::int64_t{1} << 20;

// The counts of all lanes, later their ks: eight planes, or one byte per lane, at a time.
template <class V>
struct LaneBytes {
  V part[MAX_COUNT_BITS / 8][8];
  int parts;
};

// The number of planes up to the highest that is not zero in all lanes. Most games need far fewer than their rows
// suggest.
template <class V>
GDL_INLINE int used_planes(const CountPlanes<V>& count, V lanes) {
  int bits = count.bits;
  while (bits > 1 && !any(count.plane[bits - 1] & lanes)) --bits;
  return bits;
}

template <class V>
void to_bytes(const CountPlanes<V>& count, int bits, LaneBytes<V>& bytes) {
  bytes.parts = (bits + 7) / 8;
  for (int part = 0; part < bytes.parts; ++part) {
    for (int i = 0; i < 8; ++i) bytes.part[part][i] = part * 8 + i < bits ? count.plane[part * 8 + i] : zeros<V>();
    transpose_bits(bytes.part[part]);
  }
}

template <class V>
void to_planes(LaneBytes<V>& bytes, CountPlanes<V>& k) {
  for (int part = 0; part < bytes.parts; ++part) {
    transpose_bits(bytes.part[part]);
    for (int i = 0; i < 8; ++i) k.plane[part * 8 + i] = bytes.part[part][i];
  }
}

// Whether the part of a draw that a choice leaves is needed.
enum class Residual { Discard, Keep };

// Replaces counts by ks in `bytes`. `bits_of(v)` gives the random words of vector v of 32-bit elements; Residual::Keep
// stores in `residual` what the choice leaves of them.
template <int Parts, Residual Rest, class V, class Source>
GDL_INLINE void scale_counts(LaneBytes<V>& bytes, Source bits_of, V32<V>* residual) {
  for (int j = 0; j < 8; ++j) {
    V32<V> in[Parts], out[Parts];
    for (int part = 0; part < Parts; ++part) {
      in[part] = reinterpret_cast<V32<V>>(bytes.part[part][j]);
      out[part] = V32<V>{};
    }
    for (int q = 0; q < 4; ++q) {
      V32<V> count = (in[0] >> (8 * q)) & 0xFFu;
      for (int part = 1; part < Parts; ++part) count |= ((in[part] >> (8 * q)) & 0xFFu) << (8 * part);
      const Product32<V> product = multiply32<V>(bits_of(4 * j + q), count);
      if constexpr (Rest == Residual::Keep) residual[4 * j + q] = product.low;
      for (int part = 0; part < Parts; ++part) out[part] |= ((product.high >> (8 * part)) & 0xFFu) << (8 * q);
    }
    for (int part = 0; part < Parts; ++part) bytes.part[part][j] = reinterpret_cast<V>(out[part]);
  }
}

template <Residual Rest, class V, class Source>
GDL_INLINE void scale_counts(LaneBytes<V>& bytes, Source bits_of, V32<V>* residual) {
  if (bytes.parts == 1) {
    scale_counts<1, Rest>(bytes, bits_of, residual);
  } else if (bytes.parts == 2) {
    scale_counts<2, Rest>(bytes, bits_of, residual);
  } else {
    scale_counts<3, Rest>(bytes, bits_of, residual);
  }
}

// The lanes of a mask as 32-bit elements of all ones, in the layout of the streams.
template <class V>
struct ElementMask {
  V bytes[8];

  explicit ElementMask(V mask) {
    for (int j = 0; j < 8; ++j) bytes[j] = (mask >> j) & splat<V>(0x0101010101010101u);
  }
  GDL_INLINE V32<V> vector(int v) const {
    return V32<V>{} - ((reinterpret_cast<V32<V>>(bytes[v / 4]) >> (8 * (v % 4))) & 1u);
  }
};

}  // namespace gdl::GDL_ISA
