// The choice of a move by GRAVE (Cazenave 2015).
#pragma once

#include <cstdint>
#include <vector>

#include "search/amaf.hpp"
#include "search/exploration.hpp"
#include "search/progressive_widening.hpp"
#include "search/search_memory.hpp"
#include "search/selection_kernels.hpp"
#include "search/selection_policy.hpp"

namespace gdl {

// The mean payoff v_i of a move is replaced by
//   (1 - b) v_i + b a_i,     b = m / (m + n_i + m n_i / equivalence),
// where m > 0 counts how often the move was made after the node whose AMAF table is taken, and a_i is the mean payoff
// that it had there. The exploration term takes every move as visited once more: it is C sqrt(g(n) / (n_i + 1)), or the
// term of an informed role. A move never made anywhere has the mean payoff 100 without knowledge, and the mean payoff
// of the role at the node with knowledge. Among moves of equal value a random one of those never visited is chosen, or
// else the first.
class GraveSelection final : public SelectionPolicy {
 public:
  // All arguments must outlive the policy.
  GraveSelection(const SelectionParameters& parameters, const Exploration& exploration, Amaf& amaf,
                 const SelectionKernels& kernels, SearchMemory& memory);

  std::uint32_t choose(const Node& node, const Edges& edges, int role, Flight& flight) override;

 private:
  double c_;
  UctGrowth growth_;
  double equivalence_;
  const std::vector<bool>& informed_;  // [role]
  ProgressiveWidening widening_;
  const Exploration& exploration_;  // exploration term of informed roles
  Amaf& amaf_;
  const SelectionKernels& kernels_;
  SearchMemory& memory_;
};

}  // namespace gdl
