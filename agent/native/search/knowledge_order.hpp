// The order of a node's moves by knowledge.
#pragma once

#include <cstdint>
#include <span>

#include "circuit/circuit.hpp"
#include "search/flight.hpp"
#include "search/player_spec.hpp"
#include "search/search_memory.hpp"
#include "search/selection_kernels.hpp"
#include "search/tree.hpp"
#include "search/work.hpp"

namespace gdl {

// The knowledge of one player, applied to nodes.
class KnowledgeOrder {
 public:
  // All arguments must outlive this object. The memory fits the scorer of the player.
  KnowledgeOrder(const Circuit& circuit, const PlayerSpec& player, SearchMemory& memory);

  // Sorts the moves of informed roles by their weights, which become priors, and corrects the paths of playouts in
  // flight through the node. `last_rows`: the joint move that led to the node, nullptr at the start of a match.
  void rank(Tree& tree, NodeId id, const std::int32_t* last_rows, std::span<Flight> flights, Work& work) const;

 private:
  // Sorts the moves of a role by their weights in a state, the largest first; moves of equal weight keep their order.
  // The result is `order` and `priors` of the memory. A prior is the weight divided by the largest weight, or with PUCT
  // by the sum of all. `rows` ascend.
  void sort(int role, const std::uint64_t* state, const std::int32_t* last_rows, std::span<const std::int32_t> rows,
            Work& work) const;
  // Moves the edges on a path to the places that `place_of` of the memory gives them.
  void follow(const Tree& tree, NodeId id, std::span<Flight> flights) const;

  const Circuit& circuit_;
  const PlayerSpec& player_;
  const SelectionKernels& kernels_;
  SearchMemory& memory_;
};

}  // namespace gdl
