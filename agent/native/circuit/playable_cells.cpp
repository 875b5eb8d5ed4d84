#include "circuit/playable_cells.hpp"

#include <stdexcept>
#include <string>

namespace gdl {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("playable cells: ") + what);
}

void check_lists(const Lists<std::int32_t>& lists, std::int64_t limit, const char* what) {
  const std::vector<std::int32_t>& start = lists.start();
  require(!start.empty() && start.front() == 0 && std::ranges::is_sorted(start) &&
              static_cast<std::size_t>(start.back()) == lists.values().size(),
          what);
  for (const std::int32_t value : lists.values()) require(value >= 0 && value < limit, what);
}

}  // namespace

void PlayableCells::check(std::int32_t n_fluents, std::int32_t roles) {
  require(n_roles == roles, "the game has another number of roles");
  check_lists(pieces, n_fluents, "pieces are no fluents");
  check_lists(row_cells, static_cast<std::int64_t>(pieces.size()), "a row names no cell");
  require(role.size() == row_cells.size(), "there is not one role for each row");
  std::vector<std::vector<std::int32_t>> found(pieces.size() * static_cast<std::size_t>(n_roles));
  for (std::size_t row = 0; row < role.size(); ++row) {
    require(role[row] >= 0 && role[row] < n_roles, "a row belongs to no role");
    for (const std::int32_t cell : row_cells[row]) {
      found[static_cast<std::size_t>(cell * n_roles + role[row])].push_back(static_cast<std::int32_t>(row));
    }
  }
  rows = {};
  for (const std::vector<std::int32_t>& each : found) rows.append(each);
}

void PlayableCells::check_rows(std::size_t n_rows) const {
  require(empty() || row_cells.size() == n_rows, "the game has another number of rows");
}

}  // namespace gdl
