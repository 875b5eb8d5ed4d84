// The choice of a move by UCB1, as in UCT (Kocsis & Szepesvári 2006).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "search/first_visit_policy.hpp"
#include "search/search_memory.hpp"
#include "search/selection_kernels.hpp"
#include "search/selection_policy.hpp"

namespace gdl {

// A move never visited comes before all others; the policy for first visits chooses among several. Where all moves were
// visited, the choice is the first of the moves with the largest
//   v_i + C sqrt(ln n / n_i)     (thesis formula 2.1; n: visits of the node, n_i of the move, v_i: its mean payoff).
// The value of a move whose goal is proven is that goal, with nothing added.
class Ucb1Selection final : public SelectionPolicy {
 public:
  // All references must outlive the policy. `c` is in units of goals.
  Ucb1Selection(double c, std::unique_ptr<FirstVisitPolicy> first_visit, const SelectionKernels& kernels,
                SearchMemory& memory)
      : c_(c), first_visit_(std::move(first_visit)), kernels_(kernels), memory_(memory) {}

  std::uint32_t choose(const Node& node, const Edges& edges, int role, Flight& flight) override;

 private:
  double c_;
  std::unique_ptr<FirstVisitPolicy> first_visit_;
  const SelectionKernels& kernels_;
  SearchMemory& memory_;
};

// values [count] = v_i + c sqrt(ln n / n_i), which is NaN for a move never visited.
void find_ucb1_values(const MoveRange& moves, double c, double* values);

}  // namespace gdl
