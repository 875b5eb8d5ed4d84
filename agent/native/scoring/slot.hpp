// The amounts that matching features add to the weight of a move.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace gdl {

// The value without a match, if only the first matching feature counts.
inline constexpr std::int32_t NO_RANK = std::numeric_limits<std::int32_t>::max();

// Joins two amounts: weights add up, and the smallest rank counts.
template <bool FirstFeature>
inline constexpr std::int32_t NOTHING = FirstFeature ? NO_RANK : 0;

template <bool FirstFeature>
inline std::int32_t join(std::int32_t left, std::int32_t right) {
  if constexpr (FirstFeature) return std::min(left, right);
  return left + right;
}

// The number of the amount that a match adds; slot 0 adds nothing.
using Slot = std::uint32_t;

}  // namespace gdl
