// The loops over the moves of a node, for every instruction set: division and square root are rounded alike everywhere,
// so all give the same.
#pragma once

#include <cstdint>
#include <string>

namespace gdl {

struct BestMove {
  std::uint32_t place;
  double value;  // -infinity where no move was visited
};

// What the statistics of moves say of the next choice among them.
struct Survey {
  BestMove best;            // of those visited
  std::uint32_t unvisited;  // the first never visited; the number of moves where there is none
  double mean;              // payoff of those visited, 0 if there are none; not told where none is unvisited
};

// Moves of a node with their own statistics and those of the AMAF table that speaks for the node.
struct AmafMoves {
  const std::uint32_t* visits;  // [moves]
  const std::uint32_t* sums;    // [moves]
  const std::int32_t* rows;     // [moves]
  const std::uint32_t* made;    // [row] how often it was made after the node of the table
  const std::uint32_t* earned;  // [row] sum of the payoffs that it had there
};

// `visits`, `sums` and `priors` [moves] are those of the moves of one role.
struct SelectionKernels {
  // How many moves were never visited.
  std::uint32_t (*count_unvisited)(const std::uint32_t* visits, std::uint32_t moves);
  // The place of the n-th of them, from 0.
  std::uint32_t (*nth_unvisited)(const std::uint32_t* visits, std::uint32_t moves, std::uint32_t n);
  // UCB1 (ucb1.hpp): the first of the moves with the largest sums / visits + c sqrt(log / visits); all were visited.
  std::uint32_t (*best_ucb1)(const std::uint32_t* visits, const std::uint32_t* sums, std::uint32_t moves, double log,
                             double c);
  // Progressive bias (progressive_bias.hpp): of the moves visited, the first with the largest
  // sums / visits + c sqrt(log / visits) + bonus[visits] priors.
  BestMove (*best_biased)(const std::uint32_t* visits, const std::uint32_t* sums, const float* priors,
                          std::uint32_t moves, double log, double c, const double* bonus);
  // PUCT (puct.hpp): of the moves visited, the first with the largest sums / visits + scale priors / (visits + 1). From
  // the place on where their visits reach `total`, no move was visited.
  Survey (*survey_puct)(const std::uint32_t* visits, const std::uint32_t* sums, const float* priors,
                        std::uint32_t moves, std::uint32_t total, double scale);
  // GRAVE (grave.hpp): means [moves] = (1 - b) v + b a, or `unknown` for a move never made anywhere.
  void (*blend_amaf)(const AmafMoves& of, std::uint32_t moves, double equivalence, double unknown, double* means);
  // values [moves] += c sqrt(log / (visits + 1)).
  void (*add_ucb1_term)(const std::uint32_t* visits, std::uint32_t moves, double log, double c, double* values);
  // values [moves] += scale priors / (visits + 1).
  void (*add_puct_term)(const std::uint32_t* visits, const float* priors, std::uint32_t moves, double scale,
                        double* values);
  // places [count], of at most MOST_PLACED weights: how many of them come before each, the larger first, among equals
  // the earlier.
  void (*rank_weights)(const std::uint32_t* weights, std::uint32_t count, std::uint32_t* places);
  // shares [count] = weights / whole.
  void (*divide_weights)(const std::uint32_t* weights, std::uint32_t count, double whole, float* shares);
};
inline constexpr std::uint32_t MOST_PLACED = 64;

// Throws as check_instruction_set() does.
const SelectionKernels& selection_kernels(const std::string& isa);

}  // namespace gdl
