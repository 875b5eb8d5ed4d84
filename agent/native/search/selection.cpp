#include "search/selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "arithmetic/logarithm.hpp"
#include "hardware/instruction_set.hpp"

namespace gdl {

// The moves of a role at a node.
struct MoveRange {
  MoveRange(const Edges& edges, int role, const Node& node)
      : first(edges.role_start[role]),
        count(edges.role_start[role + 1] - first),
        node_visits(node.visits),
        most_visits(node.valued ? UINT32_MAX : node.visits),
        visits(edges.visits + first),
        sums(edges.sums + first),
        priors(edges.priors + first),
        proven(edges.proven == nullptr ? nullptr : edges.proven + first) {}

  std::uint32_t first;  // edge
  std::uint32_t count;
  std::uint32_t node_visits;
  std::uint32_t most_visits;    // at least the visits of all moves together, in which values of moves count, too
  const std::uint32_t* visits;  // [count]
  const std::uint32_t* sums;    // [count] payoffs
  const float* priors;          // [count] valid where knowledge has ranked the moves
  const std::int8_t* proven;    // [count] goal, -1 where it is not proven; nullptr where no move of the node is proven
};

namespace {

constexpr std::uint32_t TABLE_SIZE = 4096;
constexpr std::uint32_t EQUAL_VISITS = 1000;
constexpr double ROOT_SCALE = 0.2184424;  // ln 1000 / sqrt 1000

// The growth of the exploration term of UCB1, c sqrt(growth / visits of the move), with the visits of the node, at
// least 1: their logarithm, or a multiple of their root that is as large at 1000 visits.
double growth_of(UctGrowth kind, std::uint32_t visits) {
  const bool root = kind == UctGrowth::Root || (kind == UctGrowth::Deep && visits > EQUAL_VISITS);
  if (root) return ROOT_SCALE * std::sqrt(static_cast<double>(visits));
  static const std::array<double, TABLE_SIZE> table = [] {
    std::array<double, TABLE_SIZE> values{};
    for (std::uint32_t n = 1; n < TABLE_SIZE; ++n) values[n] = natural_log(n);
    return values;
  }();
  return visits < TABLE_SIZE ? table[visits] : natural_log(visits);
}

// Mean payoff of the moves that were visited, 0 where none was.
double mean_payoff(const MoveRange& moves) {
  std::uint64_t sum = 0, seen = 0;
  for (std::uint32_t i = 0; i < moves.count; ++i) {
    sum += moves.sums[i];
    seen += moves.visits[i];
  }
  return seen == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(seen);
}

// Sets the values [count] of moves whose goals are proven to these goals.
void replace_proven(const MoveRange& moves, double* values) {
  if (moves.proven == nullptr) return;
  for (std::uint32_t i = 0; i < moves.count; ++i) {
    if (moves.proven[i] >= 0) values[i] = moves.proven[i];
  }
}

// The first of the largest values [count]; a NaN is never the largest.
BestMove best_of(const double* values, std::uint32_t count) {
  BestMove best{0, -std::numeric_limits<double>::infinity()};
  for (std::uint32_t i = 0; i < count; ++i) {
    if (values[i] > best.value) best = {i, values[i]};
  }
  return best;
}

double* room_for(std::vector<double>& values, std::uint32_t count) {
  if (values.size() < count) values.resize(count);
  return values.data();
}

// values [count] = v_i + c sqrt(g(n) / n_i), which is NaN for a move never visited. Division and square root are
// rounded alike everywhere, so vectors of any width give the same bits.
void find_ucb1_values(const MoveRange& moves, double c, UctGrowth kind, double* values) {
  const double growth = growth_of(kind, moves.node_visits);
  for (std::uint32_t i = 0; i < moves.count; ++i) {
    const double n_i = moves.visits[i];
    values[i] = moves.sums[i] / n_i + c * std::sqrt(growth / n_i);
  }
}

}  // namespace

// The exploration term of informed roles, which is added to the mean payoffs of their moves. Knowledge gives the moves
// priors, and they are sorted by these, the largest first. The value of a move whose goal is proven is that goal, with
// nothing added.
class Exploration {
 public:
  virtual ~Exploration() = default;

  // Surveys the statistics of the moves for the next choice among them. The moves visited are mostly the first ones;
  // the sum of their visits says where they end.
  virtual Survey survey(const MoveRange& moves) const {
    MoveRange visited = moves;
    visited.count = 0;
    std::uint32_t unvisited = moves.count;
    for (std::uint32_t left = moves.most_visits; left > 0 && visited.count < moves.count; ++visited.count) {
      left -= moves.visits[visited.count];
      if (moves.visits[visited.count] == 0 && unvisited == moves.count) unvisited = visited.count;
    }
    if (unvisited == moves.count) unvisited = visited.count;
    const BestMove best = visited.count > 0 ? this->best(visited) : best_of(nullptr, 0);
    return {best, unvisited, unvisited == moves.count ? 0 : mean_payoff(visited)};
  }

  // The term that is added to the mean payoff of a move never visited.
  virtual double first_bonus(const MoveRange& moves, std::uint32_t place) const = 0;

 protected:
  // The best of the moves that were visited. `moves` ends with the last move visited.
  virtual BestMove best(const MoveRange& moves) const = 0;
};

namespace {

// Progressive bias: UCB1 with a bonus for moves that knowledge favours, which fades with their visits (Chaslot et al.
// 2008; thesis 5.1.5). A move's value is
//   v_i + C sqrt(g(n) / n_i) + bias prior_i / (n_i + 1)^fade     (thesis formula 2.2);
// a move never visited counts as visited once in the second term.
class ProgressiveBias final : public Exploration {
 public:
  ProgressiveBias(const SelectionParameters& parameters, const SelectionKernels& kernels, SearchMemory& memory)
      : parameters_(parameters), kernels_(kernels), memory_(memory) {
    for (std::uint32_t n = 0; n < TABLE_SIZE; ++n) bonus_table_[n] = computed_bonus(n);
  }

  double first_bonus(const MoveRange& moves, std::uint32_t place) const override {
    const double growth = growth_of(parameters_.uct_growth, std::max(moves.node_visits, 1u));
    return parameters_.uct_c * std::sqrt(growth) + bonus(0) * moves.priors[place];
  }

 private:
  // The kernel takes neither proofs nor visits beyond the table into account, so these cases are computed here.
  BestMove best(const MoveRange& moves) const override {
    const double c = parameters_.uct_c;
    const UctGrowth kind = parameters_.uct_growth;
    if (moves.proven == nullptr && moves.most_visits < TABLE_SIZE) {
      return kernels_.best_biased(moves.visits, moves.sums, moves.priors, moves.count,
                                  growth_of(kind, moves.node_visits), c, bonus_table_.data());
    }
    double* values = room_for(memory_.values, moves.count);
    find_ucb1_values(moves, c, kind, values);
    for (std::uint32_t i = 0; i < moves.count; ++i) values[i] += bonus(moves.visits[i]) * moves.priors[i];
    replace_proven(moves, values);
    return best_of(values, moves.count);
  }

  // The bonus of a move of prior 1.
  double bonus(std::uint32_t visits) const {
    return visits < TABLE_SIZE ? bonus_table_[visits] : computed_bonus(visits);
  }
  double computed_bonus(std::uint32_t visits) const { return parameters_.bias / power(visits + 1.0, parameters_.fade); }

  const SelectionParameters& parameters_;
  const SelectionKernels& kernels_;
  SearchMemory& memory_;
  std::array<double, TABLE_SIZE> bonus_table_;  // [visits of a move]
};

// PUCT: moves are tried in proportion to the share that knowledge gives them (Silver et al. 2017, after Rosin 2011). A
// move's value is
//   v_i + c p_i sqrt(n) / (n_i + 1)     (p_i: share of the move in the weights of all moves).
class Puct final : public Exploration {
 public:
  Puct(const SelectionParameters& parameters, const SelectionKernels& kernels, SearchMemory& memory)
      : c_(parameters.puct_c), kernels_(kernels), memory_(memory) {}

  // The kernel does not take proofs into account.
  Survey survey(const MoveRange& moves) const override {
    if (moves.proven != nullptr) return Exploration::survey(moves);
    return kernels_.survey_puct(moves.visits, moves.sums, moves.priors, moves.count, moves.most_visits, scale(moves));
  }
  double first_bonus(const MoveRange& moves, std::uint32_t place) const override {
    return scale(moves) * moves.priors[place];
  }

 private:
  BestMove best(const MoveRange& moves) const override {
    double* values = room_for(memory_.values, moves.count);
    const double scale = this->scale(moves);
    for (std::uint32_t i = 0; i < moves.count; ++i) {
      const double n_i = moves.visits[i];
      values[i] = moves.sums[i] / n_i + scale * moves.priors[i] / (n_i + 1);
    }
    replace_proven(moves, values);
    return best_of(values, moves.count);
  }

  // c sqrt(n)
  double scale(const MoveRange& moves) const {
    return c_ * std::sqrt(static_cast<double>(std::max(moves.node_visits, 1u)));
  }

  double c_;
  const SelectionKernels& kernels_;
  SearchMemory& memory_;
};

}  // namespace

Selection::Selection(const SelectionParameters& parameters, SearchMemory& memory)
    : parameters_(parameters), kernels_(selection_kernels(chosen_instruction_set())), memory_(memory) {
  if (std::ranges::find(parameters.informed, true) == parameters.informed.end()) return;
  if (parameters.exploration == ExplorationKind::Puct) {
    exploration_ = std::make_unique<Puct>(parameters, kernels_, memory);
  } else {
    exploration_ = std::make_unique<ProgressiveBias>(parameters, kernels_, memory);
  }
}

Selection::Selection(Selection&&) noexcept = default;
Selection::~Selection() = default;

std::uint32_t Selection::choose(const Node& node, const Edges& edges, int role, Flight& flight) {
  MoveRange moves(edges, role, node);
  if (node.ranked && parameters_.informed[static_cast<std::size_t>(role)]) return choose_informed(moves, flight);
  const bool all_visited = node.valued && node.chooser == role;  // every move counts as visited
  const std::uint32_t unvisited = all_visited ? 0 : kernels_.count_unvisited(moves.visits, moves.count);
  const double growth = growth_of(parameters_.uct_growth, moves.node_visits);
  const auto first_value = [&] {
    return mean_payoff(moves) + parameters_.first_play_urgency + parameters_.uct_c * std::sqrt(growth);
  };
  const bool all_first = parameters_.first_play_urgency == 100;  // no value is larger
  const auto best_visited = [&] {
    return kernels_.best_ucb1(moves.visits, moves.sums, moves.proven, moves.count, growth, parameters_.uct_c);
  };
  if (unvisited > 0 && (all_first || best_visited().value <= first_value())) {
    const auto drawn = static_cast<std::uint32_t>(flight.draws.below(unvisited));
    return moves.first + kernels_.nth_unvisited(moves.visits, moves.count, drawn);
  }
  return moves.first + best_visited().place;
}

// A move never visited counts with the mean payoff of the role at the node, so that knowledge can delay moves as well
// as bring them forward. Among moves of equal value a random one of those never visited is chosen, or else the first.
std::uint32_t Selection::choose_informed(MoveRange& moves, Flight& flight) {
  moves.count = width(moves.count, moves.node_visits);
  const Survey survey = exploration_->survey(moves);
  const std::uint32_t unvisited = survey.unvisited;
  if (unvisited == moves.count) return moves.first + survey.best.place;
  if (survey.best.value > survey.mean + exploration_->first_bonus(moves, unvisited)) {
    return moves.first + survey.best.place;
  }
  std::uint32_t alike = 0;
  for (std::uint32_t i = unvisited; i < moves.count && moves.priors[i] == moves.priors[unvisited]; ++i) {
    alike += moves.visits[i] == 0;
  }
  std::uint64_t skip = flight.draws.below(alike);
  std::uint32_t place = unvisited;
  while (moves.visits[place] != 0 || skip-- > 0) ++place;
  return moves.first + place;
}

// Progressive widening (Chaslot et al. 2008): the number of moves of an informed role that take part at a node. They
// are all before `widening_visits`, from then on the `widening_moves` best, and one more at each growth of the visits
// by `widening_growth`.
std::uint32_t Selection::width(std::uint32_t moves, std::uint32_t node_visits) const {
  if (!parameters_.widening || node_visits < parameters_.widening_visits) return moves;
  auto width = static_cast<std::uint32_t>(std::max(1, parameters_.widening_moves));
  double threshold = parameters_.widening_visits * parameters_.widening_growth;
  while (width < moves && node_visits >= threshold) {
    ++width;
    threshold *= parameters_.widening_growth;
  }
  return std::min(width, moves);
}

}  // namespace gdl
