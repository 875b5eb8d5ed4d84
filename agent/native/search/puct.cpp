#include "search/puct.hpp"

#include <algorithm>
#include <cmath>

namespace gdl {

double Puct::scale(const MoveRange& moves) const {
  return c_ * std::sqrt(static_cast<double>(std::max(moves.node_visits, 1u)));
}

// The kernel does not take proofs into account.
Survey Puct::survey(const MoveRange& moves) const {
  if (moves.proven != nullptr) return Exploration::survey(moves);
  return kernels_.survey_puct(moves.visits, moves.sums, moves.priors, moves.count, moves.most_visits, scale(moves));
}

double Puct::first_bonus(const MoveRange& moves, std::uint32_t place) const {
  return scale(moves) * moves.priors[place];
}

BestMove Puct::best(const MoveRange& moves) const {
  auto& values = memory_.values;
  if (values.size() < moves.count) values.resize(moves.count);
  const double scale = this->scale(moves);
  for (std::uint32_t i = 0; i < moves.count; ++i) {
    const double n_i = moves.visits[i];
    values[i] = moves.sums[i] / n_i + scale * moves.priors[i] / (n_i + 1);
  }
  replace_proven(moves, values.data());
  return best_of(values.data(), moves.count);
}

}  // namespace gdl
