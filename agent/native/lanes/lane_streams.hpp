// A random stream per lane, many lanes per instruction.
//
// Generator: xoroshiro64* (Blackman & Vigna 2018), two 32-bit words of state per lane, period 2^64 - 1; it passes
// BigCrush but for linearity of its lowest bits, which a draw (the high part of a product) hardly sees.
// A stream depends on the lane's seed and on how often the lane drew, on nothing else.
//
// Layout: lane 8 * b + j of a vector (b: byte, j: bit) lives in element b / 4 of vector 4 * j + b % 4, where the
// transposition in bit_transpose.hpp puts its count.
#pragma once

#include "lanes/vector.hpp"
#include "random/random.hpp"

namespace gdl::GDL_ISA {

template <class V>
struct LaneStreams {
  static constexpr int VECTORS = 32;  // of 32-bit elements: one element per lane
  static constexpr int ELEMENTS = static_cast<int>(sizeof(V)) / 4;

  V32<V> first[VECTORS];
  V32<V> second[VECTORS];

  static constexpr int vector_of(int lane) { return 4 * (lane % 8) + lane / 8 % 4; }
  static constexpr int element_of(int lane) { return lane / 32; }

  // Starts the stream of one lane.
  void seed(int lane, std::uint64_t seed) {
    std::uint64_t state = seed;
    std::uint64_t words = splitmix64(state);
    while (words == 0) words = splitmix64(state);  // the all-zero state never leaves itself
    const std::uint32_t halves[2] = {static_cast<std::uint32_t>(words), static_cast<std::uint32_t>(words >> 32)};
    const auto place =
        static_cast<std::size_t>(vector_of(lane)) * sizeof(V) + 4u * static_cast<unsigned>(element_of(lane));
    std::memcpy(reinterpret_cast<char*>(first) + place, &halves[0], 4);
    std::memcpy(reinterpret_cast<char*>(second) + place, &halves[1], 4);
  }

  // Returns 32 random bits for every lane of vector v and moves all their streams on.
  GDL_INLINE V32<V> draw(int v) {
    const V32<V> x = first[v];
    V32<V> y = second[v];
    y ^= x;
    first[v] = rotate<26>(x) ^ y ^ (y << 9);
    second[v] = rotate<13>(y);
    return x * 0x9E3779BBu;
  }

  // Does the same, but moves on only the streams of the elements that are set in `mask` (all ones or zero each).
  GDL_INLINE V32<V> draw_masked(int v, V32<V> mask) {
    const V32<V> old_first = first[v], old_second = second[v];
    const V32<V> bits = draw(v);
    first[v] = (first[v] & mask) | (old_first & ~mask);
    second[v] = (second[v] & mask) | (old_second & ~mask);
    return bits;
  }

 private:
  template <int Distance>
  static GDL_INLINE V32<V> rotate(V32<V> x) {
    return (x << Distance) | (x >> (32 - Distance));
  }
};

}  // namespace gdl::GDL_ISA
