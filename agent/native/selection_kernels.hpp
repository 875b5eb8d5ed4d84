// The loops over the moves of a node, for every instruction set: division and square root are rounded alike everywhere,
// so all give the same.
#pragma once

#include <cstdint>
#include <string>

namespace gdl {

// `visits` and `sums` [moves] are those of the moves of one role.
struct SelectionKernels {
  // Moves never visited.
  std::uint32_t (*count_fresh)(const std::uint32_t* visits, std::uint32_t moves);
  // The n-th of them, from 0.
  std::uint32_t (*nth_fresh)(const std::uint32_t* visits, std::uint32_t moves, std::uint32_t n);
  // The first of the moves with the largest sums / visits + c sqrt(log / visits); all were visited.
  std::uint32_t (*best_bound)(const std::uint32_t* visits, const std::uint32_t* sums, std::uint32_t moves, double log,
                              double c);
};

// Throws as make_lane_engine() does.
const SelectionKernels& selection_kernels(const std::string& isa);

}  // namespace gdl
