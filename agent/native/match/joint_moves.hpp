// The joint moves that searches and matches have chosen for lanes to make.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lanes/lane_engine.hpp"
#include "match/lane_mask.hpp"

namespace gdl {

class JointMoves {
 public:
  JointMoves(std::size_t lanes, int n_roles) : n_roles_(static_cast<std::size_t>(n_roles)), rows_(lanes * n_roles_) {}

  // `joint`: [n_roles] rows.
  void keep(int lane, std::span<const std::int32_t> joint) { std::ranges::copy(joint, begin(lane)); }
  std::span<const std::int32_t> at(int lane) const { return {begin(lane), n_roles_}; }

  // Lets the lanes make their joint moves when they advance.
  void make(LaneEngine& engine, const LaneMask& lanes) const {
    lanes.for_each([this, &engine](int lane) {
      for (const std::int32_t row : at(lane)) engine.force(lane, row);
    });
  }

 private:
  std::int32_t* begin(int lane) { return rows_.data() + static_cast<std::size_t>(lane) * n_roles_; }
  const std::int32_t* begin(int lane) const { return rows_.data() + static_cast<std::size_t>(lane) * n_roles_; }

  std::size_t n_roles_;
  std::vector<std::int32_t> rows_;  // [lanes, n_roles]
};

}  // namespace gdl
