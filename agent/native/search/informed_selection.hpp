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

// The choice is the move with the largest value of its exploration. A move never visited has the role's mean payoff at
// the node, so that knowledge can put moves off as well as bring them forward. Ties: moves never visited before others,
// a random one of them; else the first. Nodes that are not ranked yet, and roles without knowledge, choose by UCB1.
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
