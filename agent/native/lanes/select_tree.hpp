// Counting and picking among a handful of rows, bit-sliced: a binary tree of counts over 1, 2, 4 or 8 rows.
//
// `count` says in bit planes, for every lane at once, how many of the rows are legal. pick() goes down the tree with a
// number k per lane (also planes) and leaves, for every row, the lanes whose k-th legal row it is.
#pragma once

#include <type_traits>

#include "lanes/vector.hpp"

namespace gdl::GDL_ISA {

inline constexpr int bits_for(int count) { return count < 2 ? count : 1 + bits_for(count / 2); }

// a + b where both have `Bits` planes; the sum has one plane more.
template <int Bits, class V>
GDL_INLINE void add_planes(const V* a, const V* b, V* sum) {
  V carry = a[0] & b[0];
  sum[0] = a[0] ^ b[0];
  for (int i = 1; i < Bits; ++i) {
    const V next = majority(a[i], b[i], carry);
    sum[i] = xor3(a[i], b[i], carry);
    carry = next;
  }
  sum[Bits] = carry;
}

template <class V>
struct SingleRow {
  static constexpr int BITS = 1;
  V count[1];

  GDL_INLINE explicit SingleRow(const V* rows) : count{rows[0]} {}
  GDL_INLINE void pick(V here, const V*, V* chosen) const { chosen[0] = here; }
};

template <class V, int Rows>
struct SelectTree {
  static constexpr int HALF = Rows / 2;
  static constexpr int BITS = bits_for(Rows);  // planes of the count
  static constexpr int K_BITS = BITS - 1;      // planes of a k below the count
  using Half = std::conditional_t<HALF == 1, SingleRow<V>, SelectTree<V, HALF>>;

  Half left, right;
  V count[BITS];

  GDL_INLINE explicit SelectTree(const V* rows) : left(rows), right(rows + HALF) {
    add_planes<Half::BITS>(left.count, right.count, count);
  }

  // In the lanes of `here`, 0 <= k < count.
  GDL_INLINE void pick(V here, const V* k, V* chosen) const {
    V k_right[K_BITS];
    V below = ~k[0] & left.count[0];
    k_right[0] = k[0] ^ left.count[0];
    for (int i = 1; i < K_BITS; ++i) {
      k_right[i] = xor3(k[i], left.count[i], below);
      below = borrow(k[i], left.count[i], below);
    }
    left.pick(here & below, k, chosen);
    right.pick(here & ~below, k_right, chosen + HALF);
  }
};

template <class V, int Rows>
using RowTree = std::conditional_t<Rows == 1, SingleRow<V>, SelectTree<V, Rows>>;

}  // namespace gdl::GDL_ISA
