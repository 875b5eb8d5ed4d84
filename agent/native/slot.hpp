// What matching features add to the weight of a move.
#pragma once

#include <cstdint>
#include <limits>

namespace gdl {

// The value of no match when only the first feature counts.
inline constexpr std::int32_t NO_RANK = std::numeric_limits<std::int32_t>::max();

struct Slot {
  std::int32_t value;
  std::int32_t first_hit;  // hits that count only where their condition holds
  std::int32_t last_hit;

  bool has_hits() const { return first_hit != last_hit; }
};

}  // namespace gdl
