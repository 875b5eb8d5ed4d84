// SelectionKernels for one instruction set. The build compiles it once for each (isa.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "hardware/isa.hpp"
#include "search/selection_kernels.hpp"

namespace gdl::GDL_ISA {

#if defined(__AVX512VL__)

// Older versions of GCC warn about the unmasked forms of intrinsics that are used in their masked forms.
inline constexpr __mmask8 ALL_8 = 0xFF;
using Places = std::int64_t __attribute__((vector_size(64)));

// The mask of the first elements of a vector, as many as are left.
GDL_INLINE __mmask16 first_of(std::uint32_t left, std::uint32_t width) {
  return static_cast<__mmask16>(left >= width ? (1u << width) - 1 : (1u << left) - 1);
}

GDL_INLINE __mmask16 unvisited_of(const std::uint32_t* visits, std::uint32_t left) {
  const __mmask16 some = first_of(left, 16);
  return _mm512_mask_testn_epi32_mask(some, _mm512_maskz_loadu_epi32(some, visits),
                                      _mm512_maskz_loadu_epi32(some, visits));
}

inline std::uint32_t count_unvisited(const std::uint32_t* visits, std::uint32_t moves) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < moves; i += 16) {
    count += static_cast<std::uint32_t>(__builtin_popcount(unvisited_of(visits + i, moves - i)));
  }
  return count;
}

inline std::uint32_t nth_unvisited(const std::uint32_t* visits, std::uint32_t moves, std::uint32_t n) {
  for (std::uint32_t i = 0;; i += 16) {
    const std::uint32_t unvisited = unvisited_of(visits + i, moves - i);
    const auto here = static_cast<std::uint32_t>(__builtin_popcount(unvisited));
    if (n < here) return i + static_cast<std::uint32_t>(__builtin_ctz(_pdep_u32(1u << n, unvisited)));
    n -= here;
  }
}

// The first of the moves with the largest value. value(some, at, n) gives the values of the moves of `some` from `at`
// on, whose visits are n. A NaN is never the largest.
template <class Value>
GDL_INLINE BestMove first_largest(const std::uint32_t* visits, std::uint32_t moves, Value value) {
  __m512d best = _mm512_set1_pd(-std::numeric_limits<double>::infinity());
  __m512i best_at = _mm512_setzero_si512();
  __m512i at = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  for (std::uint32_t i = 0; i < moves; i += 8) {
    const auto some = static_cast<__mmask8>(first_of(moves - i, 8));
    const __m512d values = value(some, i, _mm512_maskz_cvtepu32_pd(ALL_8, _mm256_maskz_loadu_epi32(some, visits + i)));
    const __mmask8 larger = _mm512_mask_cmp_pd_mask(some, values, best, _CMP_GT_OQ);
    best = _mm512_mask_mov_pd(best, larger, values);
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
  return {static_cast<std::uint32_t>(best_at[0]), best[0]};
}

GDL_INLINE __m512d doubles_of(__mmask8 some, const std::uint32_t* numbers) {
  return _mm512_maskz_cvtepu32_pd(ALL_8, _mm256_maskz_loadu_epi32(some, numbers));
}
GDL_INLINE __m512d doubles_of(__mmask8 some, const float* numbers) {
  return _mm512_maskz_cvtps_pd(ALL_8, _mm256_maskz_loadu_ps(some, numbers));
}

// The sum of integers, which may be added in any order.
GDL_INLINE double sum_of(__m512d numbers) {
  numbers += __builtin_shuffle(numbers, Places{4, 5, 6, 7, 0, 1, 2, 3});
  numbers += __builtin_shuffle(numbers, Places{2, 3, 0, 1, 6, 7, 4, 5});
  numbers += __builtin_shuffle(numbers, Places{1, 0, 3, 2, 5, 4, 7, 6});
  return numbers[0];
}

GDL_INLINE __m512d ucb1_of(__m512d sums, __m512d n, __m512d growths, __m512d cs) {
  const __m512d width = cs * _mm512_maskz_sqrt_pd(ALL_8, growths / n);
  return sums / n + width;
}

inline BestMove best_ucb1(const std::uint32_t* visits, const std::uint32_t* sums, const std::int8_t* proven,
                          std::uint32_t moves, double growth, double c) {
  const __m512d growths = _mm512_set1_pd(growth), cs = _mm512_set1_pd(c);
  const auto value = [=](__mmask8 some, std::uint32_t i, __m512d n) {
    return ucb1_of(doubles_of(some, sums + i), n, growths, cs);
  };
  if (proven == nullptr) return first_largest(visits, moves, value);
  return first_largest(visits, moves, [=](__mmask8 some, std::uint32_t i, __m512d n) {
    const __m128i goals = _mm_maskz_loadu_epi8(some, proven + i);
    const __mmask8 known = _mm_mask_cmpge_epi8_mask(some, goals, _mm_setzero_si128());
    return _mm512_mask_cvtepi32_pd(value(some, i, n), known, _mm256_maskz_cvtepi8_epi32(ALL_8, goals));
  });
}

inline BestMove best_biased(const std::uint32_t* visits, const std::uint32_t* sums, const float* priors,
                            std::uint32_t moves, double growth, double c, const double* bias) {
  const __m512d growths = _mm512_set1_pd(growth), cs = _mm512_set1_pd(c);
  return first_largest(visits, moves, [=](__mmask8 some, std::uint32_t i, __m512d n) {
    const __m256i places = _mm256_maskz_loadu_epi32(some, visits + i);
    const __m512d biases = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), some, places, bias, 8);
    return ucb1_of(doubles_of(some, sums + i), n, growths, cs) + biases * doubles_of(some, priors + i);
  });
}

inline Survey survey_puct(const std::uint32_t* visits, const std::uint32_t* sums, const float* priors,
                          std::uint32_t moves, std::uint32_t, double scale) {
  const __m512d scales = _mm512_set1_pd(scale), one = _mm512_set1_pd(1);
  __m512d earned = _mm512_setzero_pd(), made = _mm512_setzero_pd();
  std::uint32_t first_unvisited = moves, count = 0;
  for (std::uint32_t i = 0; i < moves; i += 16) {
    const std::uint32_t unvisited = unvisited_of(visits + i, moves - i), here = first_of(moves - i, 16);
    if (unvisited != 0 && first_unvisited == moves)
      first_unvisited = i + static_cast<std::uint32_t>(__builtin_ctz(unvisited));
    if (unvisited != here) count = std::min(moves, i + 16);
  }
  const BestMove best = first_largest(visits, count, [&](__mmask8 some, std::uint32_t i, __m512d n) {
    const __m512d sum = doubles_of(some, sums + i);
    earned += sum;
    made += n;
    return sum / n + scales * doubles_of(some, priors + i) / (n + one);
  });
  if (first_unvisited == moves) return {best, first_unvisited, 0};
  const double visited = sum_of(made);
  return {best, first_unvisited, visited == 0 ? 0 : sum_of(earned) / visited};
}

inline void rank_weights(const std::uint32_t* weights, std::uint32_t count, std::uint32_t* places) {
  __m512i all[MOST_PLACED / 16];
  for (std::uint32_t i = 0; i < count; i += 16) {
    all[i / 16] = _mm512_maskz_loadu_epi32(first_of(count - i, 16), weights + i);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const __m512i weight = _mm512_set1_epi32(static_cast<int>(weights[i]));
    std::uint64_t larger = 0, equal = 0;
    for (std::uint32_t j = 0; j < count; j += 16) {
      const __mmask16 some = first_of(count - j, 16);
      larger |= std::uint64_t{_mm512_mask_cmpgt_epu32_mask(some, all[j / 16], weight)} << j;
      equal |= std::uint64_t{_mm512_mask_cmpeq_epu32_mask(some, all[j / 16], weight)} << j;
    }
    const std::uint64_t before = larger | (equal & ((std::uint64_t{1} << i) - 1));
    places[i] = static_cast<std::uint32_t>(__builtin_popcountll(before));
  }
}

#else

inline std::uint32_t count_unvisited(const std::uint32_t* visits, std::uint32_t moves) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < moves; ++i) count += visits[i] == 0 ? 1 : 0;
  return count;
}

inline std::uint32_t nth_unvisited(const std::uint32_t* visits, std::uint32_t, std::uint32_t n) {
  std::uint32_t i = 0;
  while (visits[i] != 0 || n-- > 0) ++i;
  return i;
}

// The first of the moves with the largest value. value(i) is the value of the i-th move. A NaN is never the largest.
template <class Value>
GDL_INLINE BestMove first_largest(std::uint32_t moves, Value value) {
  constexpr std::uint32_t AT_ONCE = 32;
  double values[AT_ONCE];
  BestMove best{0, -std::numeric_limits<double>::infinity()};
  for (std::uint32_t first = 0; first < moves; first += AT_ONCE) {
    const std::uint32_t count = std::min(moves - first, AT_ONCE);
    for (std::uint32_t i = 0; i < count; ++i) values[i] = value(first + i);
    for (std::uint32_t i = 0; i < count; ++i) {
      best.place = values[i] > best.value ? first + i : best.place;
      best.value = values[i] > best.value ? values[i] : best.value;
    }
  }
  return best;
}

inline BestMove best_ucb1(const std::uint32_t* visits, const std::uint32_t* sums, const std::int8_t* proven,
                          std::uint32_t moves, double growth, double c) {
  const auto value = [=](std::uint32_t i) {
    const double n = visits[i];
    return sums[i] / n + c * std::sqrt(growth / n);
  };
  if (proven == nullptr) return first_largest(moves, value);
  return first_largest(moves, [=](std::uint32_t i) {
    const double otherwise = value(i);
    return proven[i] >= 0 ? proven[i] : otherwise;
  });
}

inline BestMove best_biased(const std::uint32_t* visits, const std::uint32_t* sums, const float* priors,
                            std::uint32_t moves, double growth, double c, const double* bias) {
  return first_largest(moves, [=](std::uint32_t i) {
    const double n = visits[i];
    return sums[i] / n + c * std::sqrt(growth / n) + bias[visits[i]] * priors[i];
  });
}

inline Survey survey_puct(const std::uint32_t* visits, const std::uint32_t* sums, const float* priors,
                          std::uint32_t moves, std::uint32_t total, double scale) {
  std::uint32_t unvisited = moves, count = 0;
  double earned = 0, made = 0;
  for (std::uint32_t left = total; left > 0 && count < moves; ++count) {
    left -= visits[count];
    earned += sums[count];
    made += visits[count];
    if (visits[count] == 0) unvisited = std::min(unvisited, count);
  }
  const BestMove best = first_largest(count, [=](std::uint32_t i) {
    const double n = visits[i];
    return sums[i] / n + scale * priors[i] / (n + 1);
  });
  return {best, std::min(unvisited, count), made == 0 ? 0 : earned / made};
}

inline void rank_weights(const std::uint32_t* weights, std::uint32_t count, std::uint32_t* places) {
  std::fill_n(places, count, 0u);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t before = 0;
    for (std::uint32_t j = i + 1; j < count; ++j) {
      const std::uint32_t larger = weights[j] > weights[i] ? 1 : 0;
      before += larger;
      places[j] += 1 - larger;
    }
    places[i] += before;
  }
}

#endif

inline void divide_weights(const std::uint32_t* weights, std::uint32_t count, double whole, float* shares) {
  for (std::uint32_t i = 0; i < count; ++i) shares[i] = static_cast<float>(weights[i] / whole);
}

inline constexpr SelectionKernels SELECTION_KERNELS{count_unvisited, nth_unvisited, best_ucb1,     best_biased,
                                                    survey_puct,     rank_weights,  divide_weights};

}  // namespace gdl::GDL_ISA
