// Moves of simulations drawn by knowledge.
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
  KnowledgePlayouts(const Scorer& scorer, SearchMemory& memory) : scorer_(scorer), memory_(memory) {}

  std::size_t draw(Flight& flight, const PlayoutState& at, int role, std::span<const std::int32_t> rows) override {
    memory_.weights.resize(rows.size());
    scorer_.score(ScoringPhase::Playout, role, at.state, at.last_rows, rows, memory_.weights, memory_.scorer);
    return draw_by_weight(memory_.weights, flight.draws);
  }

 private:
  const Scorer& scorer_;
  SearchMemory& memory_;
};

}  // namespace gdl
