// Moves of simulations drawn by knowledge. Other roles than the one that searches may know less: a share of their moves
// is drawn by knowledge, and the others uniformly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "random/draws.hpp"
#include "scoring/scorer.hpp"
#include "search/flight.hpp"
#include "search/search_memory.hpp"

namespace gdl {

// A state that a simulation has come to.
struct PlayoutState {
  const std::uint64_t* state;     // packed
  const std::int32_t* last_rows;  // [n_roles] the joint move that led to it
  int searcher;                   // the role that searches
};

// Draws a place in proportion to its weight; at least one weight is above 0.
inline std::size_t draw_by_weight(std::span<const std::uint32_t> weights, Draws& draws) {
  std::uint64_t rest = draws.below(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
  std::size_t place = 0;
  while (rest >= weights[place]) rest -= weights[place++];
  return place;
}

class KnowledgePlayouts {
 public:
  // The scorer, and the memory made to fit it, must outlive the policy.
  KnowledgePlayouts(const Scorer& scorer, double opponent_share, SearchMemory& memory)
      : scorer_(scorer), opponent_share_(opponent_share), memory_(memory) {}

  // Draws the move of a role among `rows`, which are several, and returns its place.
  std::size_t draw(Flight& flight, const PlayoutState& at, int role, std::span<const std::int32_t> rows) {
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
