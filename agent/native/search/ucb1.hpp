// The choice of a move by UCB1, as in UCT (Kocsis & Szepesvári 2006).
#pragma once

#include <cstdint>

#include "search/exploration.hpp"
#include "search/player_spec.hpp"
#include "search/search_memory.hpp"
#include "search/selection_kernels.hpp"
#include "search/selection_policy.hpp"

namespace gdl {

// The value of a move that was visited is
//   v_i + C sqrt(g(n) / n_i)     (n: visits of the node, n_i of the move, v_i: its mean payoff; g: growth_of()),
// which is thesis formula 2.1 where g is the logarithm. The first of the moves with the largest value is chosen. The
// value of a move whose goal is proven is that goal, with nothing added. Among moves never visited a
// random one is chosen; choose() says when one of them comes next.
class Ucb1Selection final : public SelectionPolicy {
 public:
  // All references must outlive the policy.
  Ucb1Selection(const SelectionParameters& parameters, const SelectionKernels& kernels, SearchMemory& memory)
      : parameters_(parameters), kernels_(kernels), memory_(memory) {}

  std::uint32_t choose(const Node& node, const Edges& edges, int role, Flight& flight) override;

 private:
  BestMove best_visited(const MoveRange& moves);

  const SelectionParameters& parameters_;
  const SelectionKernels& kernels_;
  SearchMemory& memory_;
};

// values [count] = v_i + c sqrt(g(n) / n_i), which is NaN for a move never visited.
void find_ucb1_values(const MoveRange& moves, double c, UctGrowth kind, double* values);

}  // namespace gdl
