// The order of a node's moves by knowledge.
#pragma once

#include <cstdint>
#include <span>

#include "circuit/circuit.hpp"
#include "search/flight.hpp"
#include "search/player_spec.hpp"
#include "search/ranking.hpp"
#include "search/search_memory.hpp"
#include "search/tree.hpp"
#include "search/work.hpp"

namespace gdl {

// The knowledge of one player, applied to nodes.
class KnowledgeOrder {
 public:
  // All arguments must outlive this object.
  KnowledgeOrder(const Circuit& circuit, const PlayerSpec& player, SearchMemory& memory)
      : circuit_(circuit), player_(player), memory_(memory) {}

  // Sorts the moves of informed roles by their weights, which become priors, and corrects the paths of playouts in
  // flight through the node. `last_rows`: the joint move that led to the node, nullptr at the start of a match.
  void rank(Tree& tree, NodeId id, const std::int32_t* last_rows, std::span<Flight> flights, Work& work) const;

 private:
  // Moves the edges on a path to the places that `place_of` of the memory gives them.
  void follow(const Tree& tree, NodeId id, std::span<Flight> flights) const;

  const Circuit& circuit_;
  const PlayerSpec& player_;
  SearchMemory& memory_;
};

}  // namespace gdl
