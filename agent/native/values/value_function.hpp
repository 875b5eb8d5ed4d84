// A learned value network, for searches: its weights are whole numbers, so that sums do not depend on their order.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hardware/huge_pages.hpp"
#include "values/value_network.hpp"

namespace gdl {

class ValueFunction {
 public:
  static constexpr double UNIT = 65536;  // of weights

  // `weights`: [n_weights] in UNITs.
  ValueFunction(ValueNetwork network, const std::vector<std::int32_t>& weights)
      : network_(std::move(network)), weights_(weights.begin(), weights.end()) {
    weights_.resize(network_.room);
  }

  const ValueNetwork& network() const { return network_; }
  std::span<const std::int32_t> weights() const { return weights_; }

 private:
  ValueNetwork network_;
  std::vector<std::int32_t, HugePages<std::int32_t>> weights_;
};

}  // namespace gdl
