// The statistics and policies that the options of a player make, and their precedence where several are on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "circuit/circuit.hpp"
#include "search/exploration.hpp"
#include "search/first_visit_policy.hpp"
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

// The statistics and policies of one search. Searches share the policies that depend on no statistics: hundreds of
// searches take turns, and a policy of each would not stay in the cache.
struct SearchPolicies {
  std::shared_ptr<SelectionPolicy> selection;
  std::vector<std::unique_ptr<Statistics>> statistics;
  std::shared_ptr<PlayoutPolicy> playouts;
};

// The policies of one player, resolved once within a thread.
class PlayerPolicies {
 public:
  // All arguments must outlive this object.
  PlayerPolicies(const Circuit& circuit, const PlayerSpec& player, SearchMemory& memory);

  // Makes the policies of a search with this tree; both arguments and this object must outlive them.
  SearchPolicies make(Tree& tree, Work& work) const;

  // Visits of a node from which knowledge ranks its moves.
  std::uint32_t ranking_visits() const { return ranking_visits_; }
  // Joint moves at the start of a simulation that the search draws; the lane draws the later ones.
  std::int64_t drawn_moves() const { return drawn_moves_; }
  // Whether these draws need the states of the simulation.
  bool draws_by_state() const { return draws_by_knowledge_; }
  // Whether statistics are told of all moves of simulations.
  bool counts_simulations() const { return player_.selection.grave_equivalence > 0; }

 private:
  // Selection by UCB1, or by knowledge for informed roles.
  std::shared_ptr<SelectionPolicy> make_selection(std::unique_ptr<FirstVisitPolicy> first_visit) const;

  const Circuit& circuit_;
  const PlayerSpec& player_;
  SearchMemory& memory_;
  const SelectionKernels& kernels_;
  std::unique_ptr<Exploration> exploration_;  // exploration term of informed roles
  std::optional<MastWeights> mast_weights_;
  bool informed_;  // whether some role is informed
  std::uint32_t ranking_visits_;
  bool draws_by_knowledge_;
  std::int64_t drawn_moves_;
  std::shared_ptr<SelectionPolicy> selection_;  // with uniform first visits
  std::shared_ptr<PlayoutPolicy> playouts_;     // by knowledge, or uniform
};

}  // namespace gdl
