// Progressive widening: at a node visited often, only the moves that knowledge ranks best take part, and more of them
// as its visits grow (Chaslot et al. 2008).
#pragma once

#include <algorithm>
#include <cstdint>

#include "search/player_spec.hpp"

namespace gdl {

class ProgressiveWidening {
 public:
  explicit ProgressiveWidening(const SelectionParameters& parameters)
      : acts_(parameters.widening),
        visits_(parameters.widening_visits),
        moves_(static_cast<std::uint32_t>(std::max(1, parameters.widening_moves))),
        growth_(parameters.widening_growth) {}

  // The number of moves of an informed role that take part at a node: all before `widening_visits`, from then on the
  // `widening_moves` best, and one more at each growth of the visits by `widening_growth`.
  std::uint32_t width(std::uint32_t moves, std::uint32_t node_visits) const {
    if (!acts_ || node_visits < visits_) return moves;
    std::uint32_t width = moves_;
    double threshold = visits_ * growth_;
    while (width < moves && node_visits >= threshold) {
      ++width;
      threshold *= growth_;
    }
    return std::min(width, moves);
  }

 private:
  bool acts_;
  double visits_;
  std::uint32_t moves_;
  double growth_;
};

}  // namespace gdl
