// The budget of a search: its playouts or its seconds, and the nodes that playouts may add.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "search/player_spec.hpp"

namespace gdl {

class SearchBudget {
 public:
  // The player must outlive the budget; its playouts and seconds are read anew for every search.
  explicit SearchBudget(const PlayerSpec& player)
      : player_(player), nodes_per_playout_(std::llround(player.expansions * WHOLE_NODE)) {}

  // Begins the search of a state; `now`: seconds on a clock that never goes back.
  void begin(double now) {
    deadline_ = now + player_.seconds;
    longest_ = std::max(longest_, playouts_);
    playouts_ = 0;
    credit_ = 0;
  }

  // The playouts that the search is expected to make. Where they are not given, it is as many as the longest search
  // before it has made, because any may be broken off, or many if there was none.
  std::int64_t expected_playouts() const {
    if (player_.playouts > 0) return player_.playouts;
    return longest_ > 0 ? longest_ : MOST_PLAYOUTS;
  }

  // Whether no further playout may begin. The first playout always may.
  bool spent(double now) const {
    if (playouts_ == 0) return false;
    if (playouts_ >= MOST_PLAYOUTS) return true;
    return player_.playouts > 0 ? playouts_ >= player_.playouts : now >= deadline_;
  }

  // Counts a playout that begins and returns the number of nodes that it may add.
  std::int64_t begin_playout() {
    ++playouts_;
    ++playouts_in_tree_;
    credit_ += nodes_per_playout_;
    const std::int64_t nodes = credit_ / WHOLE_NODE;
    credit_ -= nodes * WHOLE_NODE;
    return nodes;
  }
  // Takes back a playout that will never end.
  void withdraw_playout() {
    --playouts_;
    --playouts_in_tree_;
  }

  // Playouts of this search, including those in flight.
  std::int64_t playouts() const { return playouts_; }

  // Whether another search could overflow the statistics of the tree, which are 32 bits wide: they hold
  // 2 * MOST_PLAYOUTS payoffs of 100.
  bool fills_tree() const { return playouts_in_tree_ > MOST_PLAYOUTS; }
  void begin_tree() { playouts_in_tree_ = 0; }

 private:
  static constexpr std::int64_t MOST_PLAYOUTS = 20'000'000;
  static constexpr std::int64_t WHOLE_NODE = 1000;

  const PlayerSpec& player_;
  double deadline_ = 0;
  std::int64_t playouts_ = 0;
  std::int64_t longest_ = 0;  // playouts of the longest search before this one
  std::int64_t playouts_in_tree_ = 0;
  std::int64_t credit_ = 0;         // thousandths of a node that earlier playouts did not add
  std::int64_t nodes_per_playout_;  // thousandths
};

}  // namespace gdl
