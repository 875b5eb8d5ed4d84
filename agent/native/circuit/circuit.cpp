#include "circuit/circuit.hpp"

#include <algorithm>

namespace gdl {

std::vector<std::uint8_t> Circuit::gates_in_loops() const {
  std::vector<std::uint8_t> in_loop(gates.size(), 0);
  for (const Loop loop : loops) std::fill(in_loop.begin() + loop.first, in_loop.begin() + loop.last, 1);
  return in_loop;
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
