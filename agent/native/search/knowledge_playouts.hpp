// Moves of simulations drawn by knowledge. Other roles than the one that searches may know less: a share of their moves
// is drawn by knowledge, and the others uniformly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "scoring/scorer.hpp"
#include "search/playout_policy.hpp"
#include "search/search_memory.hpp"

namespace gdl {

class KnowledgePlayouts final : public PlayoutPolicy {
 public:
  // The scorer, and the memory made to fit it, must outlive the policy.
  KnowledgePlayouts(const Scorer& scorer, double opponent_share, SearchMemory& memory)
      : scorer_(scorer), opponent_share_(opponent_share), memory_(memory) {}

  std::size_t draw(Flight& flight, const PlayoutState& at, int role, std::span<const std::int32_t> rows) override {
    if (role != at.searcher && !opponent_knows(flight.draws)) {
      return static_cast<std::size_t>(flight.draws.below(rows.size()));
    }
    memory_.weights.resize(rows.size());
    scorer_.score(ScoringPhase::Playout, role, at.state, at.last_rows, rows, memory_.weights, memory_.scorer);
    return draw_by_weight(memory_.weights, flight.draws);
  }

 private:
  // A share of 0 or 1 uses up nothing of the random stream.
  bool opponent_knows(Draws& draws) const {
    return opponent_share_ >= 1 || (opponent_share_ > 0 && draws.fraction() < opponent_share_);
  }

  const Scorer& scorer_;
  double opponent_share_;
  SearchMemory& memory_;
};

}  // namespace gdl
