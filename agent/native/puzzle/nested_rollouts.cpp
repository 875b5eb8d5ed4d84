#include "puzzle/nested_rollouts.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "arithmetic/logarithm.hpp"
#include "hardware/instruction_set.hpp"

namespace gdl {
namespace {

constexpr int LANES = 512;
constexpr std::size_t GROUP_LANES = 32;
constexpr int LENGTH = 32;            // searches of a level that the level above makes
constexpr std::size_t FEW_ROWS = 32;  // with fewer rows a policy tells depths apart
constexpr std::size_t MOVES_BETWEEN_STOPS = 16;
constexpr std::size_t LONGEST = 4096;          // moves of a playout
constexpr std::int64_t GOAL_WEIGHT = 1 << 20;  // larger than any distance

}  // namespace

NestedRollouts::NestedRollouts(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs)
    : circuit_(circuit),
      n_rows_(static_cast<std::size_t>(circuit.n_rows())),
      by_depth_(n_rows_ <= FEW_ROWS),
      engine_(make_lane_engine(circuit, std::move(programs), LANES, chosen_instruction_set())),
      evaluator_(circuit),
      distance_(GoalDistance::of_largest_goal(circuit, Finality::Ignored)),
      groups_(LANES / GROUP_LANES),
      mask_(LANES / 64),
      ended_(LANES / 64),
      packed_(LANES * static_cast<std::size_t>(circuit.state_words())),
      rows_(LANES),
      scores_(LANES) {}

void NestedRollouts::begin(std::span<const std::uint64_t> root, std::uint64_t seed) {
  root_.assign(root.begin(), root.end());
  draws_ = Draws(seed);
  std::ranges::fill(groups_, RolloutGroup{});
  best_ = {};
  states_ = 0;
}

void NestedRollouts::step(const std::function<bool()>& stop) {
  const std::int64_t before = states_;
  if (!run_playouts(stop)) return;
  states_of_step_ = states_ - before;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const auto first = scores_.begin() + static_cast<std::ptrdiff_t>(group * GROUP_LANES);
    const auto best = std::max_element(first, first + GROUP_LANES);
    adapt(groups_[group], static_cast<std::size_t>(best - scores_.begin()));
  }
}

bool NestedRollouts::run_playouts(const std::function<bool()>& stop) {
  const auto words = static_cast<std::size_t>(circuit_.state_words());
  for (std::size_t lane = 0; lane < LANES; ++lane) {
    rows_[lane].clear();
    scores_[lane] = -1;
  }
  std::ranges::fill(mask_, ~std::uint64_t{0});
  engine_->load_copies(mask_.data(), root_.data());
  for (std::size_t depth = 0; depth < LONGEST; ++depth) {
    engine_->evaluate();
    engine_->terminal(ended_.data());
    for (std::size_t i = 0; i < ended_.size(); ++i) {
      ended_[i] &= mask_[i];
      mask_[i] &= ~ended_[i];
    }
    engine_->read_states(ended_.data(), packed_.data());
    for (std::size_t lane = 0; lane < LANES; ++lane) {
      if ((ended_[lane / 64] >> (lane % 64) & 1u) == 0) continue;
      std::int32_t goal = 0;
      engine_->goals(static_cast<int>(lane), &goal);
      goal = std::max(goal, 0);
      scores_[lane] = (goal + 1) * GOAL_WEIGHT - distance_(packed_.data() + lane * words);
      const Line line{goal, rows_[lane]};
      if (line.better_than(best_)) best_ = line;
    }
    if (std::ranges::all_of(mask_, [](std::uint64_t word) { return word == 0; })) return true;
    if (depth % MOVES_BETWEEN_STOPS == 0 && stop()) return false;
    engine_->list_legal(mask_.data(), lists_);
    for (std::size_t lane = 0; lane < LANES; ++lane) {
      if ((mask_[lane / 64] >> (lane % 64) & 1u) != 0) move_lane(lane, lists_.rows[lane]);
    }
    engine_->advance();
  }
  return true;
}

void NestedRollouts::move_lane(std::size_t lane, std::span<const std::int32_t> legal) {
  if (legal.empty()) {  // the rules are at fault; the line leads nowhere
    mask_[lane / 64] &= ~(std::uint64_t{1} << (lane % 64));
    return;
  }
  RolloutPolicy& policy = groups_[lane / GROUP_LANES].levels[0].policy;
  const std::size_t depth = rows_[lane].size();
  if (policy.weights.size() < code(0, depth) + n_rows_) {
    policy.weights.resize(code(0, depth) + n_rows_, 1);
    policy.exponents.resize(policy.weights.size(), 0);
  }
  const double* weights = policy.weights.data() + code(0, depth);
  double sum = 0;
  for (const std::int32_t row : legal) sum += weights[row];
  double left = draws_.fraction() * sum;
  std::size_t place = 0;
  while (place + 1 < legal.size() && (left -= weights[legal[place]]) >= 0) ++place;
  engine_->force(static_cast<int>(lane), legal[place]);
  rows_[lane].push_back(legal[place]);
  ++states_;
}

void NestedRollouts::adapt(RolloutGroup& group, std::size_t lane) {
  RolloutLevel& lowest = group.levels[0];
  if (scores_[lane] >= lowest.best.score && scores_[lane] >= 0 && rows_[lane] != lowest.best.rows) {
    lowest.best = {scores_[lane], rows_[lane], legal_on(rows_[lane])};
  }
  for (std::size_t number = 0; number < LEVELS; ++number) {
    RolloutLevel& level = group.levels[number];
    adapt(level.policy, level.best);
    for (std::size_t lower = 0; lower < number; ++lower) group.levels[lower].policy = level.policy;
    if (++level.searches < LENGTH) return;
    if (number + 1 == LEVELS) {
      group = {};
      return;
    }
    RolloutLevel& above = group.levels[number + 1];
    if (level.best.score >= above.best.score) above.best = std::move(level.best);
    level.best = {};
    level.searches = 0;
  }
}

void NestedRollouts::adapt(RolloutPolicy& policy, const SeenPlayout& playout) const {
  const std::size_t codes = code(0, playout.rows.size()) + n_rows_;
  if (policy.weights.size() < codes) {
    policy.weights.resize(codes, 1);
    policy.exponents.resize(codes, 0);
  }
  std::vector<std::pair<std::size_t, double>> changes;  // of exponents
  for (std::size_t move = 0; move < playout.rows.size(); ++move) {
    double sum = 0;
    for (const std::int32_t row : playout.legal[move]) sum += policy.weights[code(row, move)];
    for (const std::int32_t row : playout.legal[move]) {
      changes.emplace_back(code(row, move), -policy.weights[code(row, move)] / sum);
    }
    changes.emplace_back(code(playout.rows[move], move), 1.0);
  }
  for (const auto& [place, change] : changes) policy.exponents[place] += change;
  for (const auto& [place, change] : changes) {
    policy.exponents[place] = std::clamp(policy.exponents[place], -300.0, 300.0);
    policy.weights[place] = exponential(policy.exponents[place]);
  }
}

std::vector<std::vector<std::int32_t>> NestedRollouts::legal_on(std::span<const std::int32_t> rows) {
  std::vector<std::vector<std::int32_t>> legal;
  std::vector<std::uint64_t> state = root_;
  for (const std::int32_t& row : rows) {
    evaluator_.evaluate(state);
    evaluator_.list_legal(0, legal.emplace_back());
    std::vector<std::uint64_t> next(state.size());
    evaluator_.advance({&row, 1}, next);
    state = std::move(next);
  }
  return legal;
}

}  // namespace gdl
