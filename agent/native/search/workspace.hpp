// The objects that the searches of one player share within a thread. Hundreds of searches take turns, and objects of
// each would not stay in the cache.
#pragma once

#include <cstdint>
#include <limits>

#include "circuit/circuit.hpp"
#include "search/knowledge_order.hpp"
#include "search/knowledge_playouts.hpp"
#include "search/leaf_values.hpp"
#include "search/player_spec.hpp"
#include "search/search_memory.hpp"
#include "search/selection.hpp"
#include "search/solver.hpp"
#include "search/work.hpp"

namespace gdl {

struct Workspace {
  // All arguments must outlive the workspace. `seen`: the derived facts that searches will be told of states.
  Workspace(const Circuit& circuit, const PlayerSpec& player, SearchMemory& shared, const DerivedFacts& seen)
      : memory(shared),
        selection(player.selection, shared),
        knowledge(circuit, player, shared),
        simulations(player, shared),
        solver(circuit),
        leaves(player, shared, seen),
        ranking_visits(selection.informed() ? player.scoring_visits : std::numeric_limits<std::uint32_t>::max()) {}

  SearchMemory& memory;
  Selection selection;
  KnowledgeOrder knowledge;
  KnowledgePlayouts simulations;
  Solver solver;
  LeafValues leaves;
  std::uint32_t ranking_visits;  // visits of a node from which knowledge ranks its moves
  std::int64_t playouts = 0;     // playouts finished in all searches
  Work work;
};

}  // namespace gdl
