// Moves of simulations drawn by knowledge. Other roles than the one that searches may know less: a share of their moves
// is drawn by knowledge, and the others uniformly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "random/draws.hpp"
#include "scoring/scorer.hpp"
#include "search/player_spec.hpp"
#include "search/search_memory.hpp"
#include "search/work.hpp"

namespace gdl {

// A state that a simulation has come to.
struct PlayoutState {
  const std::uint64_t* state;     // packed
  const std::int32_t* last_rows;  // [n_roles] the joint move that led to it
  int searcher;                   // the role that searches
};

class KnowledgePlayouts {
 public:
  // Both arguments must outlive this object. The memory is made to fit the scorer of the player.
  KnowledgePlayouts(const PlayerSpec& player, SearchMemory& memory)
      : scorer_(player.scorer), opponent_share_(player.opponent_knowledge), memory_(memory) {
    if (scorer_ == nullptr) return;
    scorer_->fit(memory.scorer);
    if (scorer_->acts_in(ScoringPhase::Playout)) moves_ = player.playout_moves;
  }

  // Joint moves at the start of a simulation that the search draws; the lane draws the later ones, uniformly.
  std::int64_t moves() const { return moves_; }

  // Draws the move of a role among `rows`, which are several, and returns its place.
  std::size_t draw(const PlayoutState& at, int role, std::span<const std::int32_t> rows, Draws& draws,
                   Work& work) const {
    if (role != at.searcher && !opponent_knows(draws)) return static_cast<std::size_t>(draws.below(rows.size()));
    auto& weights = memory_.weights;
    weights.resize(rows.size());
    work.add(Operation::Choose);
    work.add(Operation::Candidate, static_cast<std::int64_t>(rows.size()));
    work.add(scorer_->score(ScoringPhase::Playout, role, at.state, at.last_rows, rows, weights, memory_.scorer));
    std::uint64_t rest = draws.below(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
    std::size_t place = 0;
    while (rest >= weights[place]) rest -= weights[place++];
    return place;
  }

 private:
  // A share of 0 or 1 uses up nothing of the random stream.
  bool opponent_knows(Draws& draws) const {
    return opponent_share_ >= 1 || (opponent_share_ > 0 && draws.fraction() < opponent_share_);
  }

  const Scorer* scorer_;
  double opponent_share_;
  std::int64_t moves_ = 0;
  SearchMemory& memory_;
};

}  // namespace gdl
