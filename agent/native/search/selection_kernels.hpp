// The loops over the moves of a node, for every instruction set: division and square root are rounded alike everywhere,
// so all give the same.
#pragma once

#include <cstdint>
#include <string>

namespace gdl {

struct Bound {
  std::uint32_t move;
  double value;  // -infinity where no move was visited
};

// What the statistics of moves say of the next choice among them.
struct Standing {
  Bound best;           // of those visited
  std::uint32_t fresh;  // the first never visited; their number if there is none
  double mean;          // payoff of those visited, 0 if there are none; not told where none is fresh
};

// Moves that were also made elsewhere.
struct MovesAnywhere {
  const std::uint32_t* visits;  // [moves]
  const std::uint32_t* sums;    // [moves]
  const std::int32_t* rows;     // [moves]
  const std::uint32_t* made;    // [row] how often elsewhere
  const std::uint32_t* earned;  // [row] with what sum of payoffs
};

// `visits`, `sums` and `priors` [moves] are those of the moves of one role.
struct SelectionKernels {
  // Moves never visited.
  std::uint32_t (*count_fresh)(const std::uint32_t* visits, std::uint32_t moves);
  // The n-th of them, from 0.
  std::uint32_t (*nth_fresh)(const std::uint32_t* visits, std::uint32_t moves, std::uint32_t n);
  // The first of the moves with the largest sums / visits + c sqrt(log / visits); all were visited.
  std::uint32_t (*best_bound)(const std::uint32_t* visits, const std::uint32_t* sums, std::uint32_t moves, double log,
                              double c);
  // Of the moves visited, the first with the largest sums / visits + c sqrt(log / visits) + bias[visits] priors.
  Bound (*best_biased)(const std::uint32_t* visits, const std::uint32_t* sums, const float* priors, std::uint32_t moves,
                       double log, double c, const double* bias);
  // Of the moves visited, the first with the largest sums / visits + scale priors / (visits + 1). From the place on
  // where their visits reach `total`, no move was visited.
  Standing (*stand_puct)(const std::uint32_t* visits, const std::uint32_t* sums, const float* priors,
                         std::uint32_t moves, std::uint32_t total, double scale);
  // places [count], of at most MOST_PLACED weights: how many of them come before each, the larger first, among equals
  // the earlier.
  void (*find_places)(const std::uint32_t* weights, std::uint32_t count, std::uint32_t* places);
  // shares [count] of a whole.
  void (*find_shares)(const std::uint32_t* weights, std::uint32_t count, double whole, float* shares);
  // means [moves]: (1 - b) v + b a, as Selection::choose() explains; `unknown` for a move never made.
  void (*blend)(const MovesAnywhere& of, std::uint32_t moves, double equivalence, double unknown, double* means);
  // Adds c sqrt(log / (visits + 1)), or scale priors / (visits + 1).
  void (*add_ucb)(const std::uint32_t* visits, std::uint32_t moves, double log, double c, double* bounds);
  void (*add_puct)(const std::uint32_t* visits, const float* priors, std::uint32_t moves, double scale, double* bounds);
};
inline constexpr std::uint32_t MOST_PLACED = 64;

// Throws as check_instruction_set() does.
const SelectionKernels& selection_kernels(const std::string& isa);

}  // namespace gdl
