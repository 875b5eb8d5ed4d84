// How long a search goes on, and how many nodes its playouts may add.
#pragma once

#include <cmath>
#include <cstdint>

#include "search/player_spec.hpp"

namespace gdl {

class SearchBudget {
 public:
  // The player must outlive the budget; its playouts and seconds are read anew for every search.
  explicit SearchBudget(const PlayerSpec& player)
      : player_(player), nodes_per_playout_(std::llround(player.expansions * WHOLE_NODE)) {}

  // A search of a state begins; `now`: seconds on a clock that never goes back.
  void begin(double now) {
    deadline_ = now + player_.seconds;
    playouts_ = 0;
    credit_ = 0;
  }

  // Whether no playout may begin any more. The first one always may.
  bool spent(double now) const {
    if (playouts_ == 0) return false;
    if (playouts_ >= MOST_PLAYOUTS) return true;
    return player_.playouts > 0 ? playouts_ >= player_.playouts : now >= deadline_;
  }

  // Counts a playout that begins; returns how many nodes it may add.
  std::int64_t begin_playout() {
    ++playouts_;
    ++playouts_in_tree_;
    credit_ += nodes_per_playout_;
    const std::int64_t nodes = credit_ / WHOLE_NODE;
    credit_ -= nodes * WHOLE_NODE;
    return nodes;
  }
  // Takes a playout back that will never end.
  void withdraw_playout() {
    --playouts_;
    --playouts_in_tree_;
  }

  // Playouts of this search, those in flight included.
  std::int64_t playouts() const { return playouts_; }

  // Whether the statistics of the tree have no room for another search. They are 32 bits wide: 2 * MOST_PLAYOUTS
  // payoffs of 100 fit.
  bool fills_tree() const { return playouts_in_tree_ > MOST_PLAYOUTS; }
  void begin_tree() { playouts_in_tree_ = 0; }

 private:
  static constexpr std::int64_t MOST_PLAYOUTS = 20'000'000;
  static constexpr std::int64_t WHOLE_NODE = 1000;

  const PlayerSpec& player_;
  double deadline_ = 0;
  std::int64_t playouts_ = 0;
  std::int64_t playouts_in_tree_ = 0;
  std::int64_t credit_ = 0;         // thousandths of a node that earlier playouts did not add
  std::int64_t nodes_per_playout_;  // thousandths
};

}  // namespace gdl
