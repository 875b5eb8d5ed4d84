// The choice of a move at a node (select): UCB1, or for informed roles progressive bias or PUCT, with progressive
// widening. docs/search.md has the formulas.
#pragma once

#include <cstdint>
#include <memory>

#include "search/flight.hpp"
#include "search/player_spec.hpp"
#include "search/search_memory.hpp"
#include "search/selection_kernels.hpp"
#include "search/tree.hpp"

namespace gdl {

struct MoveRange;
class Exploration;

class Selection {
 public:
  // The arguments must outlive this object.
  Selection(const SelectionParameters& parameters, SearchMemory& memory);
  Selection(Selection&&) noexcept;
  ~Selection();

  // The edge that `role`, which has several moves, chooses at a node; the flight stands there. Draws from the flight's
  // stream only among moves that were never visited.
  //
  // UCB1 chooses where knowledge has not ranked the moves or the role is not informed. A move never visited counts as
  // visited once, with the mean payoff of the role at the node and the urgency as its payoff (first-play urgency: Gelly
  // & Wang 2006). It comes next if no other value is larger; a random one is chosen among several.
  std::uint32_t choose(const Node& node, const Edges& edges, int role, Flight& flight);

  // Whether knowledge guides the choice of some role.
  bool informed() const { return exploration_ != nullptr; }

 private:
  std::uint32_t choose_informed(MoveRange& moves, Flight& flight);
  std::uint32_t width(std::uint32_t moves, std::uint32_t node_visits) const;

  const SelectionParameters& parameters_;
  const SelectionKernels& kernels_;
  SearchMemory& memory_;
  std::unique_ptr<Exploration> exploration_;  // of informed roles; nullptr where there are none
};

}  // namespace gdl
