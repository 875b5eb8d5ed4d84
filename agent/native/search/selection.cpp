#include "search/selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "hardware/instruction_set.hpp"
#include "search/logarithm.hpp"

namespace gdl {
namespace {

constexpr std::uint32_t TABLE_SIZE = 4096;

double log_of_visits(std::uint32_t visits) {
  static const std::array<double, TABLE_SIZE> table = [] {
    std::array<double, TABLE_SIZE> values{};
    for (std::uint32_t n = 1; n < TABLE_SIZE; ++n) values[n] = natural_log(n);
    return values;
  }();
  return visits < TABLE_SIZE ? table[visits] : natural_log(visits);
}

// Of the moves visited; 0 before.
double mean_of(const Edges& edges, std::uint32_t first, std::uint32_t last) {
  std::uint64_t sum = 0, seen = 0;
  for (std::uint32_t edge = first; edge < last; ++edge) {
    sum += edges.sums[edge];
    seen += edges.visits[edge];
  }
  return seen == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(seen);
}

}  // namespace

Selection::Selection(const SelectionParameters& parameters, double mast_temperature)
    : parameters_(parameters), kernels_(selection_kernels(chosen_instruction_set())) {
  if (mast_temperature > 0) average_weights_.emplace(mast_temperature);
  bias_table_.resize(TABLE_SIZE);
  for (std::uint32_t n = 0; n < TABLE_SIZE; ++n) bias_table_[n] = computed_bias(n);
}

double Selection::computed_bias(std::uint32_t visits) const {
  return parameters_.bias / power(visits + 1.0, parameters_.fade);
}

std::uint32_t Selection::width(std::uint32_t moves, std::uint32_t visits) const {
  if (!parameters_.widening || visits < parameters_.widening_visits) return moves;
  std::uint32_t width = static_cast<std::uint32_t>(std::max(1, parameters_.widening_moves));
  double threshold = parameters_.widening_visits * parameters_.widening_growth;
  while (width < moves && visits >= threshold) {
    ++width;
    threshold *= parameters_.widening_growth;
  }
  return std::min(width, moves);
}

std::uint32_t Selection::choose(const Edges& edges, int role, std::uint32_t visits, bool ranked,
                                const MoveAverages* averages, const MoveTable* all_moves, Draws& draws) {
  const std::uint32_t first = edges.role_start[role];
  const std::uint32_t moves = edges.role_start[role + 1] - first;
  if (moves == 1) return first;
  const bool informed = ranked && parameters_.informed[static_cast<std::size_t>(role)];
  if (all_moves != nullptr) {
    const std::uint32_t last = first + (informed ? width(moves, visits) : moves);
    return choose_by_all_moves(edges, first, last, visits, informed, *all_moves, draws);
  }
  if (!informed) return choose_bare(edges, first, first + moves, visits, averages, draws);
  return choose_informed(edges, first, first + width(moves, visits), visits, draws);
}

// Division and square root are rounded alike everywhere, so vectors of any width give the same bits. Moves never
// visited get no number, which is never the larger.
void Selection::find_bounds(const Edges& edges, std::uint32_t first, std::uint32_t count, std::uint32_t visits) {
  if (bounds_.size() < count) bounds_.resize(count);
  const double log = log_of_visits(visits);
  const std::uint32_t* n = edges.visits + first;
  const std::uint32_t* sums = edges.sums + first;
  double* bounds = bounds_.data();
  for (std::uint32_t i = 0; i < count; ++i) {
    const double n_i = n[i];
    bounds[i] = sums[i] / n_i + parameters_.uct_c * std::sqrt(log / n_i);
  }
}

void Selection::find_puct_bounds(const Edges& edges, std::uint32_t first, std::uint32_t count, double scale) {
  if (bounds_.size() < count) bounds_.resize(count);
  const std::uint32_t* n = edges.visits + first;
  const std::uint32_t* sums = edges.sums + first;
  const float* shares = edges.priors + first;
  double* bounds = bounds_.data();
  for (std::uint32_t i = 0; i < count; ++i) {
    const double n_i = n[i];
    bounds[i] = sums[i] / n_i + scale * shares[i] / (n_i + 1);
  }
}

void Selection::replace_proven(const Edges& edges, std::uint32_t first, std::uint32_t count) {
  if (edges.proven == nullptr) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (edges.proven[first + i] >= 0) bounds_[i] = edges.proven[first + i];
  }
}

std::uint32_t Selection::choose_bare(const Edges& edges, std::uint32_t first, std::uint32_t last, std::uint32_t visits,
                                     const MoveAverages* averages, Draws& draws) {
  const std::uint32_t* visits_of_moves = edges.visits + first;
  const std::uint32_t moves = last - first;
  const std::uint32_t fresh = kernels_.count_fresh(visits_of_moves, moves);
  if (fresh > 1 && averages != nullptr) return draw_fresh(edges, first, last, *averages, draws);
  if (fresh > 0) {
    const auto drawn = static_cast<std::uint32_t>(draws.below(fresh));
    return first + kernels_.nth_fresh(visits_of_moves, moves, drawn);
  }
  if (edges.proven == nullptr) {
    const double log = log_of_visits(visits);
    return first + kernels_.best_bound(visits_of_moves, edges.sums + first, moves, log, parameters_.uct_c);
  }
  find_bounds(edges, first, moves, visits);
  replace_proven(edges, first, moves);
  const auto best = std::max_element(bounds_.begin(), bounds_.begin() + moves);
  return first + static_cast<std::uint32_t>(best - bounds_.begin());
}

std::uint32_t Selection::draw_fresh(const Edges& edges, std::uint32_t first, std::uint32_t last,
                                    const MoveAverages& averages, Draws& draws) const {
  const auto weight_of = [&](std::uint32_t edge) -> std::uint64_t {
    return edges.visits[edge] == 0 ? weight(averages, edges.rows[edge]) : 0;
  };
  std::uint64_t total = 0;
  for (std::uint32_t edge = first; edge < last; ++edge) total += weight_of(edge);
  std::uint64_t rest = draws.below(total);
  std::uint32_t edge = first;
  for (; rest >= weight_of(edge); ++edge) rest -= weight_of(edge);
  return edge;
}

std::uint32_t Selection::choose_by_all_moves(const Edges& edges, std::uint32_t first, std::uint32_t last,
                                             std::uint32_t visits, bool informed, const MoveTable& all_moves,
                                             Draws& draws) {
  const std::uint32_t count = last - first;
  if (bounds_.size() < count) bounds_.resize(count);
  const MovesAnywhere moves{edges.visits + first, edges.sums + first, edges.rows + first, all_moves.visits.data(),
                            all_moves.sums.data()};
  const double unknown = informed ? mean_of(edges, first, last) : 100;
  kernels_.blend(moves, count, parameters_.grave_equivalence, unknown, bounds_.data());
  explore(edges, first, count, visits, informed);
  replace_proven(edges, first, count);
  const double best = *std::max_element(bounds_.begin(), bounds_.begin() + count);
  const auto fresh = [&](std::uint32_t edge) { return edges.visits[edge] == 0 && bounds_[edge - first] == best; };
  std::uint64_t alike = 0;
  for (std::uint32_t edge = first; edge < last; ++edge) alike += fresh(edge);
  std::uint64_t skip = alike == 0 ? 0 : draws.below(alike);
  std::uint32_t edge = first;
  while (alike == 0 ? bounds_[edge - first] != best : (!fresh(edge) || skip-- > 0)) ++edge;
  return edge;
}

void Selection::explore(const Edges& edges, std::uint32_t first, std::uint32_t count, std::uint32_t visits,
                        bool informed) {
  const std::uint32_t n = std::max(visits, 1u);
  const std::uint32_t* visits_of_moves = edges.visits + first;
  if (informed && parameters_.exploration == Exploration::Puct) {
    const double scale = parameters_.puct_c * std::sqrt(static_cast<double>(n));
    kernels_.add_puct(visits_of_moves, edges.priors + first, count, scale, bounds_.data());
    return;
  }
  kernels_.add_ucb(visits_of_moves, count, log_of_visits(n), parameters_.uct_c, bounds_.data());
  if (!informed) return;
  for (std::uint32_t i = 0; i < count; ++i) bounds_[i] += faded_bias(visits_of_moves[i]) * edges.priors[first + i];
}

std::uint32_t Selection::choose_informed(const Edges& edges, std::uint32_t first, std::uint32_t last,
                                         std::uint32_t visits, Draws& draws) {
  const Standing standing = stand(edges, first, last, visits);
  const std::uint32_t fresh = first + standing.fresh;
  if (fresh == last) return first + standing.best.move;
  const std::uint32_t n = std::max(visits, 1u);
  double fresh_value = standing.mean;
  if (parameters_.exploration == Exploration::Puct) {
    fresh_value += parameters_.puct_c * std::sqrt(static_cast<double>(n)) * edges.priors[fresh];
  } else {
    fresh_value += parameters_.uct_c * std::sqrt(log_of_visits(n)) + faded_bias(0) * edges.priors[fresh];
  }
  if (standing.best.value > fresh_value) return first + standing.best.move;
  std::uint32_t alike = 0;
  for (std::uint32_t edge = fresh; edge < last && edges.priors[edge] == edges.priors[fresh]; ++edge) {
    alike += edges.visits[edge] == 0;
  }
  std::uint64_t skip = draws.below(alike);
  std::uint32_t edge = fresh;
  while (edges.visits[edge] != 0 || skip-- > 0) ++edge;
  return edge;
}

// Moves are sorted by their priors: those visited are mostly the first ones, and the first never visited is the best of
// its kind. The node's visits are those of its moves.
Standing Selection::stand(const Edges& edges, std::uint32_t first, std::uint32_t last, std::uint32_t visits) {
  if (edges.proven == nullptr && parameters_.exploration == Exploration::Puct) {
    const double scale = parameters_.puct_c * std::sqrt(static_cast<double>(std::max(visits, 1u)));
    return kernels_.stand_puct(edges.visits + first, edges.sums + first, edges.priors + first, last - first, visits,
                               scale);
  }
  std::uint32_t fresh = last, end = first;
  for (std::uint32_t left = visits; left > 0 && end < last; ++end) {
    left -= edges.visits[end];
    if (edges.visits[end] == 0 && fresh == last) fresh = end;
  }
  if (fresh == last) fresh = end;
  Bound best{0, -std::numeric_limits<double>::infinity()};
  if (end > first) best = best_informed(edges, first, end, visits);
  return {best, fresh - first, fresh == last ? 0 : mean_of(edges, first, end)};
}

// Proofs, and visits beyond the table of biases, are not for kernels.
Bound Selection::best_informed(const Edges& edges, std::uint32_t first, std::uint32_t end, std::uint32_t visits) {
  const std::uint32_t* n = edges.visits + first;
  const std::uint32_t* sums = edges.sums + first;
  const float* priors = edges.priors + first;
  const std::uint32_t count = end - first;
  const bool puct = parameters_.exploration == Exploration::Puct;
  const double scale = parameters_.puct_c * std::sqrt(static_cast<double>(std::max(visits, 1u)));
  if (edges.proven == nullptr && visits < TABLE_SIZE) {
    return kernels_.best_biased(n, sums, priors, count, log_of_visits(visits), parameters_.uct_c, bias_table_.data());
  }
  if (puct) {
    find_puct_bounds(edges, first, count, scale);
  } else {
    find_bounds(edges, first, count, visits);
    for (std::uint32_t i = 0; i < count; ++i) bounds_[i] += faded_bias(n[i]) * priors[i];
  }
  replace_proven(edges, first, count);
  Bound best{0, -std::numeric_limits<double>::infinity()};
  for (std::uint32_t i = 0; i < count; ++i) {
    if (bounds_[i] > best.value) best = {i, bounds_[i]};
  }
  return best;
}

}  // namespace gdl
