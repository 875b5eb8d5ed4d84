#include "puzzle/replay.hpp"

#include <algorithm>
#include <cstddef>

namespace gdl {

Line Replay::operator()(std::span<const std::uint64_t> state, std::span<const std::int32_t> rows) {
  Line line;
  std::vector<std::uint64_t> now(state.begin(), state.end());
  for (std::size_t move = 0;; ++move) {
    evaluator_.evaluate(now);
    if (evaluator_.value(circuit_.terminal)) {
      line.goal = 0;  // where the rules give none
      for (std::size_t i = 0; i < circuit_.goal_value.size(); ++i) {
        if (evaluator_.value(circuit_.goal_literal[i])) {
          line.goal = circuit_.goal_value[i];
          break;
        }
      }
      return line;
    }
    if (move == rows.size() || !evaluator_.value(circuit_.legal[static_cast<std::size_t>(rows[move])])) return line;
    line.rows.push_back(rows[move]);
    now = after(now, rows[move]);
  }
}

std::vector<std::int32_t> Replay::legal(std::span<const std::uint64_t> state) {
  std::vector<std::int32_t> rows;
  evaluator_.evaluate(state);
  evaluator_.list_legal(0, rows);
  return rows;
}

std::vector<std::uint64_t> Replay::after(std::span<const std::uint64_t> state, std::int32_t row) {
  std::vector<std::uint64_t> next(state.size());
  evaluator_.evaluate(state);
  evaluator_.advance({&row, 1}, next);
  return next;
}

}  // namespace gdl
