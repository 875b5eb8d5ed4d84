#include "ranking.hpp"

#include <algorithm>

namespace gdl {

Ranking::Ranking(const Scorer* scorer) : scorer_(scorer) {
  if (scorer != nullptr) scratch_ = scorer->make_scratch();
}

void Ranking::rank(int role, const std::uint64_t* state, const std::int32_t* last_rows,
                   std::span<const std::int32_t> rows) {
  weights_.resize(rows.size());
  scorer_->score(Phase::kSelection, role, state, last_rows, rows, weights_, scratch_);
  // The larger weight first, then the smaller number.
  keys_.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) keys_[i] = std::uint64_t{~weights_[i]} << 32 | i;
  std::sort(keys_.begin(), keys_.end());
  const double largest = static_cast<std::uint32_t>(~(keys_[0] >> 32));
  order_.resize(rows.size());
  priors_.resize(rows.size());
  for (std::size_t place = 0; place < rows.size(); ++place) {
    order_[place] = static_cast<std::uint32_t>(keys_[place]);
    priors_[place] = static_cast<float>(weights_[order_[place]] / largest);
  }
}

}  // namespace gdl
