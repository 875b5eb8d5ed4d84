#include "circuit/circuit.hpp"

#include <algorithm>

namespace gdl {

std::vector<std::uint8_t> Circuit::gates_in_loops() const {
  std::vector<std::uint8_t> in_loop(gates.size(), 0);
  for (const Loop loop : loops) std::fill(in_loop.begin() + loop.first, in_loop.begin() + loop.last, 1);
  return in_loop;
}

std::vector<std::uint64_t> Circuit::initial_state() const {
  std::vector<std::uint64_t> state(static_cast<std::size_t>(state_words()));
  for (std::size_t fluent = 0; fluent < initial.size(); ++fluent) {
    if (initial[fluent] != 0) state[fluent / 64] |= std::uint64_t{1} << (fluent % 64);
  }
  return state;
}

std::vector<std::int32_t> Circuit::largest_goals() const {
  std::vector<std::int32_t> largest(static_cast<std::size_t>(n_roles));
  for (std::size_t goal = 0; goal < goal_role.size(); ++goal) {
    std::int32_t& of_role = largest[static_cast<std::size_t>(goal_role[goal])];
    of_role = std::max(of_role, goal_value[goal]);
  }
  return largest;
}

bool Circuit::is_final(std::int32_t fluent, bool value) const {
  const Literal after = next[static_cast<std::size_t>(fluent)];
  if (after == (value ? TRUE_LITERAL : FALSE_LITERAL)) return true;
  // A disjunction is the complement of a conjunction of complements.
  if (!is_gate(slot_of(after)) || is_complemented(after) != value) return false;
  const Literal own = literal_of(fluent_slot(static_cast<std::size_t>(fluent)));
  return std::ranges::find(literals_at(slot_of(after)), negated_if(value, own)) != literals_at(slot_of(after)).end();
}

std::vector<GateBlock> Circuit::blocks(std::size_t first, std::size_t last) const {
  std::vector<GateBlock> blocks;
  const auto add = [&](std::size_t end, bool is_loop) {
    if (first < end) blocks.push_back({first, end, is_loop});
    first = end;
  };
  for (const Loop loop : loops) {
    if (loop.first < first || loop.last > last) continue;
    add(loop.first, false);
    add(loop.last, true);
  }
  add(last, false);
  return blocks;
}

std::size_t role_of_row(std::span<const std::int32_t> move_start, std::int32_t row) {
  return static_cast<std::size_t>(std::ranges::upper_bound(move_start, row) - move_start.begin()) - 1;
}

}  // namespace gdl
