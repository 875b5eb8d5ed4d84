// The choice among the moves of a node that were never visited, where knowledge does not decide.
#pragma once

#include <cstdint>

#include "search/flight.hpp"
#include "search/move_range.hpp"
#include "search/search_memory.hpp"
#include "search/selection_kernels.hpp"

namespace gdl {

class FirstVisitPolicy {
 public:
  virtual ~FirstVisitPolicy() = default;

  // Returns the place of one of the moves never visited; there are `unvisited` of them, at least two.
  virtual std::uint32_t draw(Flight& flight, const MoveRange& moves, std::uint32_t unvisited) = 0;
};

class UniformFirstVisit final : public FirstVisitPolicy {
 public:
  explicit UniformFirstVisit(const SelectionKernels& kernels) : kernels_(kernels) {}

  std::uint32_t draw(Flight& flight, const MoveRange& moves, std::uint32_t unvisited) override {
    const auto drawn = static_cast<std::uint32_t>(flight.draws.below(unvisited));
    return kernels_.nth_unvisited(moves.visits, moves.count, drawn);
  }

 private:
  const SelectionKernels& kernels_;
};

// Draws by a statistic of the search: Counted::draw(flight, rows).
template <typename Counted>
class CountedFirstVisit final : public FirstVisitPolicy {
 public:
  // All arguments must outlive the policy.
  CountedFirstVisit(Counted& counted, const SelectionKernels& kernels, SearchMemory& memory)
      : counted_(counted), kernels_(kernels), memory_(memory) {}

  std::uint32_t draw(Flight& flight, const MoveRange& moves, std::uint32_t) override {
    memory_.rows.clear();
    for (std::uint32_t i = 0; i < moves.count; ++i) {
      if (moves.visits[i] == 0) memory_.rows.push_back(moves.rows[i]);
    }
    const auto drawn = static_cast<std::uint32_t>(counted_.draw(flight, memory_.rows));
    return kernels_.nth_unvisited(moves.visits, moves.count, drawn);
  }

 private:
  Counted& counted_;
  const SelectionKernels& kernels_;
  SearchMemory& memory_;
};

}  // namespace gdl
