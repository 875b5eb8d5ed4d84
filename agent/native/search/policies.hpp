// The policies that the options of a player make: how its searches select moves and draw those of simulations.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "search/exploration.hpp"
#include "search/knowledge_playouts.hpp"
#include "search/player_spec.hpp"
#include "search/search_memory.hpp"
#include "search/selection_policy.hpp"

namespace gdl {

// The searches of a player share its policies: hundreds of them take turns, and policies of each would not stay in the
// cache.
class PlayerPolicies {
 public:
  // The arguments must outlive this object.
  PlayerPolicies(const PlayerSpec& player, SearchMemory& memory);

  // By knowledge for informed roles, else by UCB1.
  SelectionPolicy& selection() { return *selection_; }
  // Visits of a node from which knowledge ranks its moves.
  std::uint32_t ranking_visits() const { return ranking_visits_; }
  // Joint moves at the start of a simulation that the search draws by knowledge; the lane draws the later ones.
  std::int64_t drawn_moves() const { return drawn_moves_; }
  // Where there are such moves.
  KnowledgePlayouts& playouts() { return *playouts_; }

 private:
  std::unique_ptr<Exploration> exploration_;  // exploration term of informed roles
  std::unique_ptr<SelectionPolicy> selection_;
  std::optional<KnowledgePlayouts> playouts_;
  std::uint32_t ranking_visits_;
  std::int64_t drawn_moves_ = 0;
};

}  // namespace gdl
