// Moves of a node in the order of their weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scoring/scorer.hpp"
#include "search/selection_kernels.hpp"

namespace gdl {

class Ranking {
 public:
  // The memory must outlive the ranking and fit the scorers.
  explicit Ranking(Scorer::Scratch& scratch);

  // Sorts the moves of a role by their weights in a state, the largest first; moves of equal weight keep their order.
  // order() and priors() belong to the last call. `rows` ascend. With `shares`, priors sum to 1.
  void rank(const Scorer& scorer, bool shares, int role, const std::uint64_t* state, const std::int32_t* last_rows,
            std::span<const std::int32_t> rows);

  std::span<const std::uint32_t> order() const { return order_; }  // [place] index of the move in `rows`
  std::span<const float> priors() const {
    return priors_;
  }  // [place] weight divided by the largest weight, or by the sum of all

 private:
  // Sorts by the weight, the largest first, then by the index in `rows`.
  void count_places();
  void sort_keys();

  const SelectionKernels& kernels_;
  Scorer::Scratch& scratch_;
  std::vector<std::uint32_t> weights_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> order_;
  std::vector<float> shares_of_moves_;  // in the order of `rows`
  std::vector<float> priors_;
};

}  // namespace gdl
