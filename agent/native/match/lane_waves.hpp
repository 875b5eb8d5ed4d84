// Lanes whose searches go on together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "match/lane_mask.hpp"

namespace gdl {

// The lanes of a mask in spans of as many as go on together: enough for memory to answer one while the others have
// their turn, few enough for what they read to stay in the nearest caches.
class LaneWaves {
 public:
  // Calls call(wave) for each span of the lanes, which `call` may change.
  template <typename Call>
  void for_each(const LaneMask& lanes, const Call& call) {
    lanes_.clear();
    lanes.for_each([this](int lane) { lanes_.push_back(lane); });
    for (std::span<const int> rest = lanes_; !rest.empty();) {
      const std::span<const int> wave = rest.first(std::min(rest.size(), MOST));
      call(wave);
      rest = rest.subspan(wave.size());
    }
  }

 private:
  static constexpr std::size_t MOST = 64;

  std::vector<int> lanes_;
};

}  // namespace gdl
