// A line of moves from a position to the end of the match.
#pragma once

#include <cstdint>
#include <vector>

namespace gdl {

struct Line {
  std::int32_t goal = -1;          // of the player at the end; -1 if the line does not lead to an end
  std::vector<std::int32_t> rows;  // the moves

  // Whether the line brings more, or as much with fewer moves.
  bool better_than(const Line& other) const {
    return goal != other.goal ? goal > other.goal : rows.size() < other.rows.size();
  }
};

}  // namespace gdl
