// The choice of a move at a node of the tree ("tree policy").
#pragma once

#include <cstdint>

#include "search/flight.hpp"
#include "search/tree.hpp"

namespace gdl {

class SelectionPolicy {
 public:
  virtual ~SelectionPolicy() = default;

  // The edge that `role`, which has several moves, chooses at a node; the flight stands there. Draws from the flight's
  // stream only among moves that were never visited.
  virtual std::uint32_t choose(const Node& node, const Edges& edges, int role, Flight& flight) = 0;
};

}  // namespace gdl
