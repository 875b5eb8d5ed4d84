// Progressive bias: UCB1 with a bonus for moves that knowledge favours, which fades with their visits (Chaslot et al.
// 2008; thesis 5.1.5).
#pragma once

#include <cstdint>
#include <vector>

#include "search/exploration.hpp"
#include "search/player_spec.hpp"
#include "search/search_memory.hpp"
#include "search/selection_kernels.hpp"

namespace gdl {

// A move's value is
//   v_i + C sqrt(g(n) / n_i) + bias prior_i / (n_i + 1)^fade     (thesis formula 2.2);
// a move never visited counts as visited once in the second term.
class ProgressiveBias final : public Exploration {
 public:
  // All references must outlive this object.
  ProgressiveBias(const SelectionParameters& parameters, const SelectionKernels& kernels, SearchMemory& memory);

  double first_bonus(const MoveRange& moves, std::uint32_t place) const override;

 private:
  BestMove best(const MoveRange& moves) const override;
  // The bonus of a move of prior 1.
  double bonus(std::uint32_t visits) const {
    return visits < bonus_table_.size() ? bonus_table_[visits] : computed_bonus(visits);
  }
  double computed_bonus(std::uint32_t visits) const;

  double c_;
  UctGrowth growth_;
  double bias_;
  double fade_;
  const SelectionKernels& kernels_;
  SearchMemory& memory_;
  std::vector<double> bonus_table_;  // [visits of a move]
};

}  // namespace gdl
