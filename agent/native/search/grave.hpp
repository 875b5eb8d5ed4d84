// The choice of a move by GRAVE (Cazenave, "Generalized rapid action value estimation", 2015).
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
// where m > 0 counts how often the move was made after the node whose AMAF table speaks for this one, and a_i is the
// mean payoff that it had there. Every move counts as visited once more in what is added: C sqrt(ln n / (n_i + 1)), or
// what an informed role adds. A move never made anywhere has, without knowledge, the mean payoff 100, and with
// knowledge that of the role at the node. Ties: moves never visited before others, a random one of them; else the
// first.
class GraveSelection final : public SelectionPolicy {
 public:
  // All that is given must outlive the policy.
  GraveSelection(const SelectionParameters& parameters, const Exploration& exploration, Amaf& amaf,
                 const SelectionKernels& kernels, SearchMemory& memory);

  std::uint32_t choose(const Node& node, const Edges& edges, int role, Flight& flight) override;

 private:
  double c_;
  double equivalence_;
  const std::vector<bool>& informed_;  // [role]
  ProgressiveWidening widening_;
  const Exploration& exploration_;  // of informed roles
  Amaf& amaf_;
  const SelectionKernels& kernels_;
  SearchMemory& memory_;
};

}  // namespace gdl
