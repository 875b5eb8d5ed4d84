// Sets of lanes: bit i of the words is lane i.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace gdl {

inline bool holds(const std::vector<std::uint64_t>& mask, int lane) {
  return (mask[lane / 64] >> (lane % 64) & 1u) != 0;
}

inline void include(std::vector<std::uint64_t>& mask, int lane) { mask[lane / 64] |= std::uint64_t{1} << (lane % 64); }

// Calls for every lane of the mask as it is now; lanes may be included meanwhile.
template <typename Call>
void for_each_lane(const std::vector<std::uint64_t>& mask, const Call& call) {
  for (std::size_t word = 0; word < mask.size(); ++word) {
    for (std::uint64_t rest = mask[word]; rest != 0; rest &= rest - 1) {
      call(static_cast<int>(word * 64) + std::countr_zero(rest));
    }
  }
}

inline bool any(const std::vector<std::uint64_t>& mask) {
  return std::any_of(mask.begin(), mask.end(), [](std::uint64_t word) { return word != 0; });
}

}  // namespace gdl
