#include "search/ranking.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "hardware/instruction_set.hpp"

namespace gdl {

Ranking::Ranking(Scorer::Scratch& scratch) : kernels_(selection_kernels(chosen_instruction_set())), scratch_(scratch) {}

void Ranking::rank(const Scorer& scorer, bool shares, int role, const std::uint64_t* state,
                   const std::int32_t* last_rows, std::span<const std::int32_t> rows) {
  weights_.resize(rows.size());
  scorer.score(ScoringPhase::Selection, role, state, last_rows, rows, weights_, scratch_);
  order_.resize(rows.size());
  priors_.resize(rows.size());
  shares_of_moves_.resize(rows.size());
  const double whole = shares ? std::accumulate(weights_.begin(), weights_.end(), std::uint64_t{0})
                              : *std::max_element(weights_.begin(), weights_.end());
  kernels_.divide_weights(weights_.data(), static_cast<std::uint32_t>(rows.size()), whole, shares_of_moves_.data());
  if (rows.size() <= MOST_PLACED) {
    count_places();
  } else {
    sort_keys();
  }
  for (std::size_t place = 0; place < rows.size(); ++place) priors_[place] = shares_of_moves_[order_[place]];
}

// The place of a move is the number of moves before it. Every pair is compared, without branches on the result.
void Ranking::count_places() {
  std::array<std::uint32_t, MOST_PLACED> places;
  const auto moves = static_cast<std::uint32_t>(weights_.size());
  kernels_.rank_weights(weights_.data(), moves, places.data());
  for (std::uint32_t i = 0; i < moves; ++i) order_[places[i]] = i;
}

void Ranking::sort_keys() {
  keys_.resize(weights_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i) keys_[i] = std::uint64_t{~weights_[i]} << 32 | i;
  std::sort(keys_.begin(), keys_.end());
  for (std::size_t place = 0; place < keys_.size(); ++place) order_[place] = static_cast<std::uint32_t>(keys_[place]);
}

}  // namespace gdl
