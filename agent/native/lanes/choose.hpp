// Choosing a legal move per lane without listing moves.
//
// 1. count: how many rows of the role are legal, per lane, as bit planes.
// 2. draw: planes -> one integer per lane -> k uniform below it -> planes of k.
// 3. pick: subtract the counts of groups of rows from k; where k falls below a group's count the row is in the group.
// The mask of lanes that picked a row is written as the row's `does` vector.
//
// Rows come in groups of 64, so that the wide k is touched once per group. Groups consist of trees of 8 rows; the rest
// of a group goes into trees of 4, 2 and 1.
#pragma once

#include "lanes/select_tree.hpp"

namespace gdl::GDL_ISA {

inline constexpr int GROUP_ROWS = 64;
inline constexpr int GROUP_BITS = 7;    // planes of a group's count, 0..64
inline constexpr int GROUP_K_BITS = 6;  // planes of a k below it
inline constexpr int MAX_COUNT_BITS = 24;

inline constexpr int groups_of(int rows) { return (rows + GROUP_ROWS - 1) / GROUP_ROWS; }

// The number of legal rows of one role, in planes. It may be wider than any lane needs.
template <class V>
struct CountPlanes {
  V plane[MAX_COUNT_BITS];
  int bits;
};

// total[0..bits) += part[0..PartBits); the sum is known to fit.
template <int PartBits, class V>
GDL_INLINE void accumulate(V* total, int bits, const V* part) {
  V carry = zeros<V>();
  for (int i = 0; i < PartBits && i < bits; ++i) {
    const V next = majority(total[i], part[i], carry);
    total[i] = xor3(total[i], part[i], carry);
    carry = next;
  }
  for (int i = PartBits; i < bits; ++i) {
    const V next = total[i] & carry;
    total[i] ^= carry;
    carry = next;
  }
}

template <int Rows, class V>
GDL_INLINE void count_tree(const V* rows, V* total) {
  const RowTree<V, Rows> tree(rows);
  accumulate<RowTree<V, Rows>::BITS>(total, GROUP_BITS, tree.count);
}

// Adds two numbers of one plane to `low`; returns the carry.
template <class V>
GDL_INLINE V add_two(V& low, V one, V other) {
  const V carry = majority(low, one, other);
  low = xor3(low, one, other);
  return carry;
}

// Adds eight rows to the three lowest planes and returns the carry. Carries are saved, not propagated (Harley & Seal).
template <class V>
GDL_INLINE V add_eight(V* total, const V* rows) {
  const V first = add_two(total[1], add_two(total[0], rows[0], rows[1]), add_two(total[0], rows[2], rows[3]));
  const V second = add_two(total[1], add_two(total[0], rows[4], rows[5]), add_two(total[0], rows[6], rows[7]));
  return add_two(total[2], first, second);
}

// Counts the legal rows among the first `n` (at most 64) in GROUP_BITS planes.
template <class V>
GDL_INLINE void count_group(const V* rows, int n, V* total) {
  for (int i = 0; i < GROUP_BITS; ++i) total[i] = zeros<V>();
  for (; n >= 16; n -= 16, rows += 16) {
    const V low = add_eight(total, rows);
    V carry = add_two(total[3], low, add_eight(total, rows + 8));
    for (int i = 4; i < GROUP_BITS; ++i) {
      const V next = total[i] & carry;
      total[i] ^= carry;
      carry = next;
    }
  }
  if ((n & 8) != 0) count_tree<8>(rows, total), rows += 8;
  if ((n & 4) != 0) count_tree<4>(rows, total), rows += 4;
  if ((n & 2) != 0) count_tree<2>(rows, total), rows += 2;
  if ((n & 1) != 0) count_tree<1>(rows, total);
}

// Adds the number of legal rows to a count and leaves the count of every group in `group_counts` for pick_rows().
template <class V>
void count_rows(const V* rows, int n, V* group_counts, CountPlanes<V>& count) {
  for (int first = 0; first < n; first += GROUP_ROWS, group_counts += GROUP_BITS) {
    V total[GROUP_BITS];
    count_group(rows + first, n - first < GROUP_ROWS ? n - first : GROUP_ROWS, total);
    for (int i = 0; i < GROUP_BITS; ++i) group_counts[i] = total[i];
    accumulate<GROUP_BITS>(count.plane, count.bits, total);
  }
}

// Splits the lanes of `left` by k < count: the lanes below are returned and leave `left`; k of the others shrinks by
// count. The call spoils k of the returned lanes, so copy the planes that are needed before.
template <int CountBits, class V>
GDL_INLINE V split_below(V& left, V* k, int bits, const V* count) {
  V below = zeros<V>();
  for (int i = 0; i < CountBits && i < bits; ++i) {
    const V next = borrow(k[i], count[i], below);
    k[i] = xor3(k[i], count[i], below);
    below = next;
  }
  for (int i = CountBits; i < bits; ++i) {
    const V next = below & ~k[i];
    k[i] ^= below;
    below = next;
  }
  const V here = left & below;
  left &= ~below;
  return here;
}

template <int Rows, class V>
GDL_INLINE void pick_tree(const V* rows, V& left, V* k, V* chosen) {
  const RowTree<V, Rows> tree(rows);
  V local[GROUP_K_BITS];
  for (int i = 0; i < GROUP_K_BITS; ++i) local[i] = k[i];
  const V here = split_below<RowTree<V, Rows>::BITS>(left, k, GROUP_K_BITS, tree.count);
  V picked[Rows];
  tree.pick(here, local, picked);
  for (int i = 0; i < Rows; ++i) chosen[i] = picked[i];
}

template <class V>
GDL_INLINE void pick_group(const V* rows, int n, V left, const V* k_planes, V* chosen) {
  V k[GROUP_K_BITS];
  for (int i = 0; i < GROUP_K_BITS; ++i) k[i] = k_planes[i];
  for (; n >= 8; n -= 8, rows += 8, chosen += 8) pick_tree<8>(rows, left, k, chosen);
  if ((n & 4) != 0) pick_tree<4>(rows, left, k, chosen), rows += 4, chosen += 4;
  if ((n & 2) != 0) pick_tree<2>(rows, left, k, chosen), rows += 2, chosen += 2;
  if ((n & 1) != 0) pick_tree<1>(rows, left, k, chosen);
}

// Writes the `does` vectors of some rows: a lane of `left` gets its k-th legal row, the other lanes get none. Lanes
// whose row is here leave `left`; k of the others shrinks, for the rows that follow. `k` has at least GROUP_K_BITS
// planes (zero above those of the count), and the call spoils it.
template <class V>
void pick_rows(const V* rows, int n, const V* group_counts, V& left, CountPlanes<V>& k, V* chosen) {
  for (int first = 0; first < n; first += GROUP_ROWS, group_counts += GROUP_BITS) {
    const int size = n - first < GROUP_ROWS ? n - first : GROUP_ROWS;
    V local[GROUP_K_BITS];
    for (int i = 0; i < GROUP_K_BITS; ++i) local[i] = k.plane[i];
    const V here = split_below<GROUP_BITS>(left, k.plane, k.bits, group_counts);
    if (any(here)) {
      pick_group(rows + first, size, here, local, chosen + first);
    } else {
      for (int i = 0; i < size; ++i) chosen[first + i] = zeros<V>();
    }
  }
}

}  // namespace gdl::GDL_ISA
