// The choice of a move by UCB1, as UCT makes it (Kocsis & Szepesvári, "Bandit based Monte-Carlo planning", 2006; Auer,
// Cesa-Bianchi & Fischer 2002).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "search/first_visit_policy.hpp"
#include "search/search_memory.hpp"
#include "search/selection_kernels.hpp"
#include "search/selection_policy.hpp"

namespace gdl {

// A move never visited comes before all others; which one, the policy for first visits says. Where there is none, the
// choice is the first of the moves with the largest
//   v_i + C sqrt(ln n / n_i)     (thesis formula 2.1; n: visits of the node, n_i of the move, v_i: its mean payoff).
// A move whose goal is proven has that goal instead, with nothing added.
class Ucb1Selection final : public SelectionPolicy {
 public:
  // All that is referred to must outlive the policy. `c` is in units of goals.
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

// values [count] = v_i + c sqrt(ln n / n_i). A move never visited gets no number, which is never the larger.
void find_ucb1_values(const MoveRange& moves, double c, double* values);

}  // namespace gdl
