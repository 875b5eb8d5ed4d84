#include "search/progressive_bias.hpp"

#include <algorithm>
#include <cmath>

#include "arithmetic/logarithm.hpp"
#include "search/ucb1.hpp"

namespace gdl {
namespace {

constexpr std::uint32_t TABLE_SIZE = 4096;

}  // namespace

ProgressiveBias::ProgressiveBias(const SelectionParameters& parameters, const SelectionKernels& kernels,
                                 SearchMemory& memory)
    : c_(parameters.uct_c),
      growth_(parameters.uct_growth),
      bias_(parameters.bias),
      fade_(parameters.fade),
      kernels_(kernels),
      memory_(memory) {
  bonus_table_.resize(TABLE_SIZE);
  for (std::uint32_t n = 0; n < TABLE_SIZE; ++n) bonus_table_[n] = computed_bonus(n);
}

double ProgressiveBias::computed_bonus(std::uint32_t visits) const { return bias_ / power(visits + 1.0, fade_); }

double ProgressiveBias::first_bonus(const MoveRange& moves, std::uint32_t place) const {
  return c_ * std::sqrt(growth_of(growth_, std::max(moves.node_visits, 1u))) + bonus(0) * moves.priors[place];
}

// The kernel takes neither proofs nor visits beyond the table into account, so these cases are computed here.
BestMove ProgressiveBias::best(const MoveRange& moves) const {
  if (moves.proven == nullptr && moves.most_visits < TABLE_SIZE) {
    return kernels_.best_biased(moves.visits, moves.sums, moves.priors, moves.count,
                                growth_of(growth_, moves.node_visits), c_, bonus_table_.data());
  }
  auto& values = memory_.values;
  if (values.size() < moves.count) values.resize(moves.count);
  find_ucb1_values(moves, c_, growth_, values.data());
  for (std::uint32_t i = 0; i < moves.count; ++i) values[i] += bonus(moves.visits[i]) * moves.priors[i];
  replace_proven(moves, values.data());
  return best_of(values.data(), moves.count);
}

}  // namespace gdl
