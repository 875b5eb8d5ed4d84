#include "circuit/legal_rows.hpp"

#include <algorithm>
#include <string>

namespace gdl {

void throw_no_legal_move(int role) {
  throw RuleViolation("role " + std::to_string(role + 1) + " has no legal move in a state that is not terminal");
}

std::span<const std::int32_t> rows_of_role(const Circuit& circuit, int role, std::span<const std::int32_t> rows) {
  const auto start = std::lower_bound(rows.begin(), rows.end(), circuit.move_start[static_cast<std::size_t>(role)]);
  const auto end = std::lower_bound(start, rows.end(), circuit.move_start[static_cast<std::size_t>(role) + 1]);
  if (start == end) throw_no_legal_move(role);
  return {start, end};
}

}  // namespace gdl
