// SelectionKernels for one instruction set. A file lanes_<isa>.cpp defines GDL_ISA and includes this.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "isa.hpp"
#include "selection_kernels.hpp"

namespace gdl {
inline namespace GDL_ISA {

#if defined(__AVX512VL__)

// Intrinsics whose masked form is used have an unmasked one that older GCC warns about.
inline constexpr __mmask8 ALL_8 = 0xFF;
using Places = std::int64_t __attribute__((vector_size(64)));

// The first elements of a vector of so many as are left.
GDL_INLINE __mmask16 first_of(std::uint32_t left, std::uint32_t width) {
  return static_cast<__mmask16>(left >= width ? (1u << width) - 1 : (1u << left) - 1);
}

GDL_INLINE __mmask16 fresh_of(const std::uint32_t* visits, std::uint32_t left) {
  const __mmask16 some = first_of(left, 16);
  return _mm512_mask_testn_epi32_mask(some, _mm512_maskz_loadu_epi32(some, visits),
                                      _mm512_maskz_loadu_epi32(some, visits));
}

inline std::uint32_t count_fresh(const std::uint32_t* visits, std::uint32_t moves) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < moves; i += 16) {
    count += static_cast<std::uint32_t>(__builtin_popcount(fresh_of(visits + i, moves - i)));
  }
  return count;
}

inline std::uint32_t nth_fresh(const std::uint32_t* visits, std::uint32_t moves, std::uint32_t n) {
  for (std::uint32_t i = 0;; i += 16) {
    const std::uint32_t fresh = fresh_of(visits + i, moves - i);
    const auto here = static_cast<std::uint32_t>(__builtin_popcount(fresh));
    if (n < here) return i + static_cast<std::uint32_t>(__builtin_ctz(_pdep_u32(1u << n, fresh)));
    n -= here;
  }
}

inline std::uint32_t best_bound(const std::uint32_t* visits, const std::uint32_t* sums, std::uint32_t moves, double log,
                                double c) {
  const __m512d logs = _mm512_set1_pd(log), cs = _mm512_set1_pd(c);
  __m512d best = _mm512_set1_pd(-std::numeric_limits<double>::infinity());
  __m512i best_at = _mm512_setzero_si512();
  __m512i at = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  for (std::uint32_t i = 0; i < moves; i += 8) {
    const auto some = static_cast<__mmask8>(first_of(moves - i, 8));
    const __m512d n = _mm512_maskz_cvtepu32_pd(ALL_8, _mm256_maskz_loadu_epi32(some, visits + i));
    const __m512d sum = _mm512_maskz_cvtepu32_pd(ALL_8, _mm256_maskz_loadu_epi32(some, sums + i));
    const __m512d width = cs * _mm512_maskz_sqrt_pd(ALL_8, logs / n);
    const __m512d bound = sum / n + width;
    const __mmask8 larger = _mm512_mask_cmp_pd_mask(some, bound, best, _CMP_GT_OQ);
    best = _mm512_mask_mov_pd(best, larger, bound);
    best_at = _mm512_mask_mov_epi64(best_at, larger, at);
    at += 8;
  }
  const auto take_larger = [&best, &best_at](Places order) {
    const __m512d other = __builtin_shuffle(best, order);
    const auto other_at = reinterpret_cast<Places>(__builtin_shuffle(best_at, order));
    const auto mine_at = reinterpret_cast<Places>(best_at);
    const Places better = (other > best) | ((other == best) & (other_at < mine_at));
    best = better ? other : best;
    best_at = reinterpret_cast<__m512i>(better ? other_at : mine_at);
  };
  take_larger(Places{4, 5, 6, 7, 0, 1, 2, 3});
  take_larger(Places{2, 3, 0, 1, 6, 7, 4, 5});
  take_larger(Places{1, 0, 3, 2, 5, 4, 7, 6});
  return static_cast<std::uint32_t>(best_at[0]);
}

#else

inline std::uint32_t count_fresh(const std::uint32_t* visits, std::uint32_t moves) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < moves; ++i) count += visits[i] == 0 ? 1 : 0;
  return count;
}

inline std::uint32_t nth_fresh(const std::uint32_t* visits, std::uint32_t, std::uint32_t n) {
  std::uint32_t i = 0;
  while (visits[i] != 0 || n-- > 0) ++i;
  return i;
}

inline std::uint32_t best_bound(const std::uint32_t* visits, const std::uint32_t* sums, std::uint32_t moves, double log,
                                double c) {
  constexpr std::uint32_t AT_ONCE = 32;
  double bounds[AT_ONCE];
  double best = -std::numeric_limits<double>::infinity();
  std::uint32_t best_at = 0;
  for (std::uint32_t first = 0; first < moves; first += AT_ONCE) {
    const std::uint32_t count = std::min(moves - first, AT_ONCE);
    for (std::uint32_t i = 0; i < count; ++i) {
      const double n = visits[first + i];
      bounds[i] = sums[first + i] / n + c * std::sqrt(log / n);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      best_at = bounds[i] > best ? first + i : best_at;
      best = bounds[i] > best ? bounds[i] : best;
    }
  }
  return best_at;
}

#endif

inline constexpr SelectionKernels SELECTION_KERNELS{count_fresh, nth_fresh, best_bound};

}  // namespace GDL_ISA
}  // namespace gdl
