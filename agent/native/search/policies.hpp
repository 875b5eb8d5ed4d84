// How a player's options make the statistics and policies of its searches. What wins where several are on stands here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "circuit/circuit.hpp"
#include "search/exploration.hpp"
#include "search/mast.hpp"
#include "search/player_spec.hpp"
#include "search/playout_policy.hpp"
#include "search/search_memory.hpp"
#include "search/selection_kernels.hpp"
#include "search/selection_policy.hpp"
#include "search/statistics.hpp"
#include "search/tree.hpp"
#include "search/work.hpp"

namespace gdl {

// What one search counts and how it decides.
struct SearchPolicies {
  std::vector<std::unique_ptr<Statistics>> statistics;
  std::unique_ptr<SelectionPolicy> selection;
  std::unique_ptr<PlayoutPolicy> playouts;
};

// Chosen once for each player within a thread.
class PlayerPolicies {
 public:
  // All that is given must outlive it.
  PlayerPolicies(const Circuit& circuit, const PlayerSpec& player, SearchMemory& memory);

  // For a search with this tree; both arguments and this must outlive it.
  SearchPolicies make(Tree& tree, Work& work) const;

  // Visits of a node from which knowledge ranks its moves.
  std::uint32_t ranking_visits() const { return ranking_visits_; }
  // Joint moves at the start of a simulation that the search draws; the lane draws those after them.
  std::int64_t drawn_moves() const { return drawn_moves_; }
  // Whether that takes the states of the simulation.
  bool draws_by_state() const { return draws_by_knowledge_; }
  // Whether statistics are told of all moves of simulations.
  bool counts_simulations() const { return player_.selection.grave_equivalence > 0; }

 private:
  const Circuit& circuit_;
  const PlayerSpec& player_;
  SearchMemory& memory_;
  const SelectionKernels& kernels_;
  std::unique_ptr<Exploration> exploration_;  // of informed roles
  std::optional<MastWeights> mast_weights_;
  bool informed_;  // some role is
  std::uint32_t ranking_visits_;
  bool draws_by_knowledge_;
  std::int64_t drawn_moves_;
};

}  // namespace gdl
