// One machine vector: 128, 256 or 512 lanes, one bit each. Included by lanes.hpp only, once per instruction set.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "hardware/isa.hpp"

namespace gdl::GDL_ISA {

using Vector128 = std::uint64_t __attribute__((vector_size(16)));
using Vector256 = std::uint64_t __attribute__((vector_size(32)));
using Vector512 = std::uint64_t __attribute__((vector_size(64)));

// A vector of the same bits as 32-bit elements.
template <class V>
struct Elements32 {
  typedef std::uint32_t Type __attribute__((vector_size(sizeof(V))));
};
template <class V>
using V32 = typename Elements32<V>::Type;

template <class V>
inline constexpr int LANES = static_cast<int>(sizeof(V)) * 8;
template <class V>
inline constexpr int WORDS = static_cast<int>(sizeof(V)) / 8;

template <class V>
GDL_INLINE V zeros() {
  return V{};
}
template <class V>
GDL_INLINE V ones() {
  return ~V{};
}
template <class V>
GDL_INLINE V splat(std::uint64_t word) {
  return V{} + word;
}

// Any Boolean function of three inputs; bit 4a + 2b + c of `Table` is its value. AVX-512 has an instruction for it.
template <int Table, class V>
GDL_INLINE V ternary([[maybe_unused]] V a, [[maybe_unused]] V b, [[maybe_unused]] V c) {
#if defined(__AVX512VL__)
  if constexpr (sizeof(V) == 64) {
    return reinterpret_cast<V>(_mm512_ternarylogic_epi64(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b),
                                                         reinterpret_cast<__m512i>(c), Table));
  } else if constexpr (sizeof(V) == 32) {
    return reinterpret_cast<V>(_mm256_ternarylogic_epi64(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b),
                                                         reinterpret_cast<__m256i>(c), Table));
  } else {
    return reinterpret_cast<V>(_mm_ternarylogic_epi64(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b),
                                                      reinterpret_cast<__m128i>(c), Table));
  }
#else
  if constexpr (Table == 0x96) return a ^ b ^ c;
  if constexpr (Table == 0xE8) return (a & b) | (c & (a ^ b));
  if constexpr (Table == 0xCA) return ((b ^ c) & a) ^ c;
  if constexpr (Table == 0x80) return a & b & c;
  if constexpr (Table == 0xFE) return a | b | c;
  if constexpr (Table == 0x8E) return ((b ^ c) & ~a) | (b & c);
  if constexpr (Table == 0xF8) return a | (b & c);
  if constexpr (Table == 0xF4) return a | (b & ~c);
  if constexpr (Table == 0xF1) return a | ~(b | c);
#endif
}

template <class V>
GDL_INLINE V xor3(V a, V b, V c) {
  return ternary<0x96>(a, b, c);
}
template <class V>
GDL_INLINE V majority(V a, V b, V c) {
  return ternary<0xE8>(a, b, c);
}
template <class V>
GDL_INLINE V mux(V choice, V one, V zero) {
  return ternary<0xCA>(choice, one, zero);
}
template <class V>
GDL_INLINE V and3(V a, V b, V c) {
  return ternary<0x80>(a, b, c);
}
template <class V>
GDL_INLINE V or3(V a, V b, V c) {
  return ternary<0xFE>(a, b, c);
}
// The borrow out of a - b - c, bit by bit.
template <class V>
GDL_INLINE V borrow(V a, V b, V c) {
  return ternary<0x8E>(a, b, c);
}

template <class V>
GDL_INLINE bool any(V v) {
#if defined(__AVX512VL__)
  if constexpr (sizeof(V) == 64) {
    return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(v), reinterpret_cast<__m512i>(v)) != 0;
  }
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32) return !_mm256_testz_si256(reinterpret_cast<__m256i>(v), reinterpret_cast<__m256i>(v));
  if constexpr (sizeof(V) == 16) return !_mm_testz_si128(reinterpret_cast<__m128i>(v), reinterpret_cast<__m128i>(v));
#endif
  std::uint64_t all = 0;
  for (int word = 0; word < WORDS<V>; ++word) all |= v[word];
  return all != 0;
}

template <class V>
GDL_INLINE int count_lanes(V v) {
  int count = 0;
  for (int word = 0; word < WORDS<V>; ++word) count += __builtin_popcountll(v[word]);
  return count;
}

template <class V>
GDL_INLINE bool has_lane(V lanes, int lane) {
  return (lanes[lane / 64] >> (lane % 64) & 1u) != 0;
}
template <class V>
GDL_INLINE void set_lane(V& lanes, int lane) {
  std::uint64_t word;
  char* place = reinterpret_cast<char*>(&lanes) + lane / 64 * 8;
  std::memcpy(&word, place, 8);
  word |= std::uint64_t{1} << (lane % 64);
  std::memcpy(place, &word, 8);
}

// High and low halves of the 64-bit products of 32-bit elements.
template <class V>
struct Product32 {
  V32<V> high, low;
};

template <class V>
GDL_INLINE Product32<V> multiply32(V32<V> a, V32<V> b) {
  Product32<V> product;
#if defined(__AVX512VL__)
  if constexpr (sizeof(V) == 64) {
    // Intrinsics whose masked form is used have an unmasked one that older GCC warns about.
    const V x = reinterpret_cast<V>(a), y = reinterpret_cast<V>(b);
    const auto multiply = [](V one, V other) {
      return reinterpret_cast<V>(
          _mm512_maskz_mul_epu32(0xFF, reinterpret_cast<__m512i>(one), reinterpret_cast<__m512i>(other)));
    };
    const auto merge = [](V even, V odd) {
      return reinterpret_cast<V32<V>>(
          _mm512_mask_blend_epi32(0xAAAA, reinterpret_cast<__m512i>(even), reinterpret_cast<__m512i>(odd)));
    };
    const V even = multiply(x, y), odd = multiply(x >> 32, y >> 32);
    product.high = merge(even >> 32, odd);
    product.low = merge(even, odd << 32);
    return product;
  }
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(V) == 32) {
    const __m256i x = reinterpret_cast<__m256i>(a), y = reinterpret_cast<__m256i>(b);
    const __m256i even = _mm256_mul_epu32(x, y);
    const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(y, 32));
    product.high = reinterpret_cast<V32<V>>(_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA));
    product.low = reinterpret_cast<V32<V>>(_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA));
    return product;
  }
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(V) == 16) {
    const __m128i x = reinterpret_cast<__m128i>(a), y = reinterpret_cast<__m128i>(b);
    const __m128i low_half = _mm_set1_epi64x(0xFFFFFFFF);
    const __m128i even = _mm_mul_epu32(x, y);
    const __m128i odd = _mm_mul_epu32(_mm_srli_epi64(x, 32), _mm_srli_epi64(y, 32));
    product.high = reinterpret_cast<V32<V>>(_mm_or_si128(_mm_srli_epi64(even, 32), _mm_andnot_si128(low_half, odd)));
    product.low = reinterpret_cast<V32<V>>(_mm_or_si128(_mm_and_si128(even, low_half), _mm_slli_epi64(odd, 32)));
    return product;
  }
#endif
  for (unsigned i = 0; i < sizeof(V) / 4; ++i) {
    const std::uint64_t wide = std::uint64_t{a[i]} * b[i];
    product.high[i] = static_cast<std::uint32_t>(wide >> 32);
    product.low[i] = static_cast<std::uint32_t>(wide);
  }
  return product;
}

}  // namespace gdl::GDL_ISA
