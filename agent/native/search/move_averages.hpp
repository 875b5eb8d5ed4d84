// Mean goals of moves wherever in the tree they were made (TO-MAST: Finnsson & Björnsson, "Learning simulation control
// in general game-playing agents", 2010).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "search/logarithm.hpp"

namespace gdl {

// Weights of moves by their mean goal, whole numbers from 0 to 100, in proportion to exp(mean / temperature).
class AverageWeights {
 public:
  // In goal units, above 0.
  explicit AverageWeights(double temperature) {
    for (std::size_t mean = 0; mean < weights_.size(); ++mean) {
      const double share = exponential(std::max(-700.0, (static_cast<double>(mean) - 100.0) / temperature));
      weights_[mean] = std::max(1u, static_cast<std::uint32_t>(LARGEST * share));
    }
  }
  std::uint32_t of(std::uint64_t mean) const { return weights_[std::min<std::uint64_t>(mean, 100)]; }

 private:
  static constexpr double LARGEST = 1 << 20;
  std::array<std::uint32_t, 101> weights_;
};

class MoveAverages {
 public:
  explicit MoveAverages(std::size_t rows) : visits_(rows), sums_(rows) {}

  void add(std::int32_t row, std::int32_t goal) {
    ++visits_[static_cast<std::size_t>(row)];
    sums_[static_cast<std::size_t>(row)] += static_cast<std::uint64_t>(goal);
  }
  // A move never made counts as one that always won.
  std::uint64_t mean(std::int32_t row) const {
    const auto at = static_cast<std::size_t>(row);
    return visits_[at] == 0 ? 100 : sums_[at] / visits_[at];
  }
  // Lets what was found count half.
  void fade() {
    for (std::size_t row = 0; row < visits_.size(); ++row) {
      if (visits_[row] == 0) continue;
      sums_[row] = sums_[row] * (visits_[row] / 2) / visits_[row];
      visits_[row] /= 2;
    }
  }

 private:
  std::vector<std::uint64_t> visits_;  // [row]
  std::vector<std::uint64_t> sums_;    // [row] goals of the role that owns it
};

}  // namespace gdl
