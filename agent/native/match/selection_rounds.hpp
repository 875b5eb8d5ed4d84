// Selections of many playouts, a stage of each in turn.
#pragma once

#include <cstddef>
#include <vector>

#include "match/match.hpp"
#include "search/lane_task.hpp"

namespace gdl {

// While one selection looks at its node, the nodes of the others are on their way from memory.
class SelectionRounds {
 public:
  void clear() { selecting_.clear(); }
  void add(int lane, Selection selection) { selecting_.push_back({selection, lane}); }

  // Follows all selections to their ends and calls end(lane, task) with the task that each ended with.
  template <typename End>
  void run(double now, const End& end) {
    while (!selecting_.empty()) {
      std::size_t left = 0;
      for (std::size_t place = 0; place < selecting_.size(); ++place) {
        if (place + AHEAD < selecting_.size()) selecting_[place + AHEAD].selection.prefetch();
        const auto [selection, lane] = selecting_[place];
        const LaneTask task = selection.go_on(now);
        if (task == LaneTask::Select) {
          selecting_[left++] = selecting_[place];
        } else {
          end(lane, task);
        }
      }
      selecting_.erase(selecting_.begin() + static_cast<std::ptrdiff_t>(left), selecting_.end());
    }
  }

 private:
  struct Selecting {
    Selection selection;
    int lane;
  };

  // Selections whose search is fetched from farther caches into the nearest before their turn.
  static constexpr std::size_t AHEAD = 4;

  std::vector<Selecting> selecting_;
};

}  // namespace gdl
