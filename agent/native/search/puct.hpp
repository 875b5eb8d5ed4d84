// PUCT: moves are tried in proportion to the share that knowledge gives them (Silver et al. 2017, after Rosin 2011).
#pragma once

#include <cstdint>

#include "search/exploration.hpp"
#include "search/player_spec.hpp"
#include "search/search_memory.hpp"
#include "search/selection_kernels.hpp"

namespace gdl {

// A move's value is
//   v_i + c p_i sqrt(n) / (n_i + 1)     (p_i: share of the move in the weights of all moves).
class Puct final : public Exploration {
 public:
  // All references must outlive this object.
  Puct(const SelectionParameters& parameters, const SelectionKernels& kernels, SearchMemory& memory)
      : c_(parameters.puct_c), kernels_(kernels), memory_(memory) {}

  Survey survey(const MoveRange& moves) const override;
  double first_bonus(const MoveRange& moves, std::uint32_t place) const override;

 private:
  BestMove best(const MoveRange& moves) const override;
  // c sqrt(n)
  double scale(const MoveRange& moves) const;

  double c_;
  const SelectionKernels& kernels_;
  SearchMemory& memory_;
};

}  // namespace gdl
