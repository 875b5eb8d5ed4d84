// Mean goals of moves wherever they were made in the tree (tree-only MAST: Finnsson & Björnsson 2010).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arithmetic/logarithm.hpp"
#include "search/playout_policy.hpp"
#include "search/search_memory.hpp"
#include "search/statistics.hpp"
#include "search/tree.hpp"

namespace gdl {

// Weights of moves in proportion to exp(mean / temperature), the Gibbs distribution. A mean is a whole number from 0 to
// 100.
class MastWeights {
 public:
  // `temperature` is in units of goals and above 0.
  explicit MastWeights(double temperature) {
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

class Mast final : public Statistics {
 public:
  // `rows`: number of rows of the game. The other arguments must outlive the statistics.
  Mast(std::size_t rows, const MastWeights& weights, const Tree& tree, SearchMemory& memory)
      : weights_(weights), tree_(tree), memory_(memory), goals_(rows), weight_of_(rows, weights.of(NEVER_MADE)) {}

  // Halves the counts of earlier searches.
  void begin_search(std::span<const std::int32_t>) override {
    for (std::size_t row = 0; row < goals_.size(); ++row) {
      MoveGoals& goals = goals_[row];
      if (goals.visits == 0) continue;
      goals = {goals.visits / 2, goals.sum * (goals.visits / 2) / goals.visits};
      weight_of_[row] = weights_.of(goals.visits == 0 ? NEVER_MADE : goals.sum / goals.visits);
    }
  }

  void back_up(const Flight& flight, const std::int32_t* goals) override {
    for (const PathStep& step : flight.path) {
      const std::int32_t* rows = tree_.edges(step.node).rows;
      for_each_choice(flight, step, [&](std::int32_t role, std::uint32_t edge) {
        const auto row = static_cast<std::size_t>(rows[edge]);
        MoveGoals& made = goals_[row];
        made = {made.visits + 1, made.sum + static_cast<std::uint64_t>(goals[role])};
        weight_of_[row] = weights_.of(made.sum / made.visits);
      });
    }
  }

  // Draws one of several moves of a role and returns its place.
  std::size_t draw(Flight& flight, std::span<const std::int32_t> rows) {
    memory_.weights.resize(rows.size());
    std::ranges::transform(rows, memory_.weights.begin(),
                           [this](std::int32_t row) { return weight_of_[static_cast<std::size_t>(row)]; });
    return draw_by_weight(memory_.weights, flight.draws);
  }

 private:
  // A move never made counts as one that always won.
  static constexpr std::uint64_t NEVER_MADE = 100;

  struct MoveGoals {
    std::uint64_t visits = 0;
    std::uint64_t sum = 0;  // goals of the role that owns the move
  };

  const MastWeights& weights_;
  const Tree& tree_;
  SearchMemory& memory_;
  std::vector<MoveGoals> goals_;          // [row]
  std::vector<std::uint32_t> weight_of_;  // [row] weight of its mean goal
};

}  // namespace gdl
