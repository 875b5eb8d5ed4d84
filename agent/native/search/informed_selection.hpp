// The choice of a move by an informed role: progressive bias or PUCT, with progressive widening.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/exploration.hpp"
#include "search/progressive_widening.hpp"
#include "search/selection_policy.hpp"
#include "search/ucb1.hpp"

namespace gdl {

// The move with the largest value is chosen. A move never visited counts with the mean payoff of the role at the node,
// so that knowledge can delay moves as well as bring them forward. Among moves of equal value a random one of those
// never visited is chosen, or else the first. At nodes that are not ranked yet, and for roles without knowledge, UCB1
// chooses.
class InformedSelection final : public SelectionPolicy {
 public:
  // The parameters and the exploration must outlive the policy.
  InformedSelection(const SelectionParameters& parameters, const Exploration& exploration,
                    std::unique_ptr<Ucb1Selection> without_knowledge);

  std::uint32_t choose(const Node& node, const Edges& edges, int role, Flight& flight) override;

 private:
  const std::vector<bool>& informed_;  // [role]
  ProgressiveWidening widening_;
  const Exploration& exploration_;
  std::unique_ptr<Ucb1Selection> without_knowledge_;
};

}  // namespace gdl
