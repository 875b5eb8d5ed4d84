// The random stream of a search.
#pragma once

#include <cstdint>

#include "random/random.hpp"

namespace gdl {

class Draws {
 public:
  explicit Draws(std::uint64_t seed = 0) : state_(seed) {}

  // A number that is uniform below `bound` (at least 1); its bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(splitmix64(state_)) * bound) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace gdl
