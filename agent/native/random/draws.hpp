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
  // A number that is uniform from 0 to below 1, in steps of 2^-32.
  double fraction() { return static_cast<double>(below(std::uint64_t{1} << 32)) * 0x1p-32; }

 private:
  std::uint64_t state_;
};

}  // namespace gdl
