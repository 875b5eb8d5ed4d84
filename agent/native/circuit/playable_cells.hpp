// Empty cells of a board to which a role may move, as facts beside those of a state.
//
// A legal row makes its cells playable for its role, those that hold no piece. Every cell has a fact for each role, and
// perhaps one more, which takes their place where several roles may move there. So at most one of them holds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "circuit/lists.hpp"

namespace gdl {

struct PlayableCells {
  std::int32_t n_roles = 0;
  bool several = false;            // whether there is a fact of several roles, the last of each cell
  Lists<std::int32_t> pieces;      // [cell] fluents that put a piece there
  Lists<std::int32_t> row_cells;   // [row] cells that the move names
  std::vector<std::int32_t> role;  // [row] whose move it is
  Lists<std::int32_t> rows;        // [cell * n_roles + role] the rows of the role that name the cell; see check()

  bool empty() const { return pieces.size() == 0; }
  std::size_t kinds() const { return static_cast<std::size_t>(n_roles) + (several ? 1 : 0); }
  // Fact cell * kinds() + role.
  std::size_t n_facts() const { return pieces.size() * kinds(); }

  // Finds `rows`. Throws std::invalid_argument where numbers do not fit a game of so many fluents and roles.
  void check(std::int32_t n_fluents, std::int32_t roles);
  // Throws std::invalid_argument unless the game has so many rows.
  void check_rows(std::size_t n_rows) const;

  friend bool operator==(const PlayableCells& one, const PlayableCells& other) {
    const auto alike = [](const auto& a, const auto& b) { return a.start() == b.start() && a.values() == b.values(); };
    return one.n_roles == other.n_roles && one.several == other.several && one.role == other.role &&
           alike(one.pieces, other.pieces) && alike(one.row_cells, other.row_cells);
  }
};

}  // namespace gdl
