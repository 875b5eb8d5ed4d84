// The loops over the moves of a node, for every instruction set. All give the same results, because division and square
// root are rounded alike everywhere.
#pragma once

#include <cstdint>
#include <string>

namespace gdl {

struct BestMove {
  std::uint32_t place;
  double value;  // -infinity where no move was visited
};

// A survey of the statistics of moves for the next choice among them.
struct Survey {
  BestMove best;            // best of the moves visited
  std::uint32_t unvisited;  // first move never visited; the number of moves where there is none
  double mean;  // mean payoff of the moves visited, 0 if there are none; undefined where all moves were visited
};

// `visits`, `sums` and `priors` [moves] belong to the moves of one role.
struct SelectionKernels {
  // The number of moves never visited.
  std::uint32_t (*count_unvisited)(const std::uint32_t* visits, std::uint32_t moves);
  // The place of the n-th move never visited, from 0.
  std::uint32_t (*nth_unvisited)(const std::uint32_t* visits, std::uint32_t moves, std::uint32_t n);
  // UCB1 (selection.cpp): the first of the moves visited with the largest sums / visits + c sqrt(growth / visits). The
  // value of a move whose goal is proven is that goal: `proven` has it, -1 for other moves; nullptr if there is none.
  BestMove (*best_ucb1)(const std::uint32_t* visits, const std::uint32_t* sums, const std::int8_t* proven,
                        std::uint32_t moves, double growth, double c);
  // Progressive bias (selection.cpp): the first of the moves visited with the largest
  // sums / visits + c sqrt(growth / visits) + bonus[visits] priors.
  BestMove (*best_biased)(const std::uint32_t* visits, const std::uint32_t* sums, const float* priors,
                          std::uint32_t moves, double growth, double c, const double* bonus);
  // PUCT (selection.cpp): the first of the moves visited with the largest sums / visits + scale priors / (visits + 1).
  // No move is visited after the place at which the visits add up to `total`.
  Survey (*survey_puct)(const std::uint32_t* visits, const std::uint32_t* sums, const float* priors,
                        std::uint32_t moves, std::uint32_t total, double scale);
  // places [count] = the number of weights that come before each: larger weights first, and earlier ones among equals.
  // There are at most MOST_PLACED weights.
  void (*rank_weights)(const std::uint32_t* weights, std::uint32_t count, std::uint32_t* places);
  // shares [count] = weights / whole.
  void (*divide_weights)(const std::uint32_t* weights, std::uint32_t count, double whole, float* shares);
};
inline constexpr std::uint32_t MOST_PLACED = 64;

// Throws the exceptions of check_instruction_set().
const SelectionKernels& selection_kernels(const std::string& isa);

}  // namespace gdl
