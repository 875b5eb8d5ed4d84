// The objects that the searches of one player share within a thread.
#pragma once

#include <cstdint>

#include "circuit/circuit.hpp"
#include "search/knowledge_order.hpp"
#include "search/leaf_values.hpp"
#include "search/player_spec.hpp"
#include "search/policies.hpp"
#include "search/search_memory.hpp"
#include "search/solver.hpp"
#include "search/work.hpp"

namespace gdl {

struct Workspace {
  // All arguments must outlive the workspace.
  Workspace(const Circuit& circuit, const PlayerSpec& player, SearchMemory& shared)
      : memory(shared),
        policies(player, shared),
        knowledge(circuit, player, shared),
        solver(circuit),
        leaves(player, shared) {}

  SearchMemory& memory;
  PlayerPolicies policies;
  KnowledgeOrder knowledge;
  Solver solver;
  LeafValues leaves;
  std::int64_t playouts = 0;  // playouts finished in all searches
  Work work;
};

}  // namespace gdl
