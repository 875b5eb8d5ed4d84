#include "puzzle/descents.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "hardware/instruction_set.hpp"

namespace gdl {
namespace {

constexpr std::size_t LANES = 512;
constexpr std::size_t MOVES_BETWEEN_STOPS = 16;
constexpr std::size_t LONGEST = 4096;  // moves of a playout

}  // namespace

Descents::Descents(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs)
    : circuit_(circuit),
      engine_(make_lane_engine(circuit, std::move(programs), static_cast<int>(LANES), chosen_instruction_set())),
      evaluator_(circuit),
      playing_(LANES / 64),
      ended_(LANES / 64) {
  chosen_.rows.resize(LANES);
}

void Descents::begin(std::span<const std::uint64_t> root, std::uint64_t seed) {
  root_.assign(root.begin(), root.end());
  draws_ = Draws(seed);
  best_ = {};
  states_ = 0;
  begin_descent();
}

void Descents::begin_descent() {
  state_ = root_;
  made_.clear();
}

void Descents::step(const std::function<bool()>& stop) {
  std::vector<std::int32_t> legal;
  evaluator_.evaluate(state_);
  evaluator_.list_legal(0, legal);
  if (evaluator_.value(circuit_.terminal) || legal.empty() || made_.size() == LONGEST) {
    begin_descent();
    return;
  }
  std::vector<MoveMean> means(legal.size());
  const std::int64_t before = states_;
  if (legal.size() > 1) {
    if (!play(legal, means, stop)) return;
    states_of_step_ = states_ - before;
  }
  std::size_t best = 0;
  for (std::size_t move = 1; move < legal.size(); ++move) {
    const MoveMean &one = means[move], &other = means[best];
    if (one.playouts > 0 && one.goals * std::max<std::int64_t>(other.playouts, 1) > other.goals * one.playouts) {
      best = move;
    }
  }
  std::vector<std::uint64_t> next(state_.size());
  evaluator_.evaluate(state_);
  evaluator_.advance({&legal[best], 1}, next);
  made_.push_back(legal[best]);
  state_ = std::move(next);
}

bool Descents::play(std::span<const std::int32_t> legal, std::vector<MoveMean>& means,
                    const std::function<bool()>& stop) {
  for (std::size_t lane = 0; lane < LANES; ++lane) {
    engine_->load(static_cast<int>(lane), state_.data(), draws_.below(~std::uint64_t{0}));
    chosen_.rows[lane].assign(1, legal[lane % legal.size()]);
  }
  std::ranges::fill(playing_, ~std::uint64_t{0});
  engine_->evaluate();
  for (std::size_t lane = 0; lane < LANES; ++lane) engine_->force(static_cast<int>(lane), chosen_.rows[lane][0]);
  for (std::size_t depth = 1; depth < LONGEST; ++depth) {
    for (const std::uint64_t word : playing_) states_ += std::popcount(word);
    engine_->advance();
    engine_->evaluate();
    engine_->terminal(ended_.data());
    for (std::size_t lane = 0; lane < LANES; ++lane) {
      const std::uint64_t bit = std::uint64_t{1} << (lane % 64);
      if ((ended_[lane / 64] & playing_[lane / 64] & bit) == 0) continue;
      playing_[lane / 64] &= ~bit;
      std::int32_t goal = 0;
      engine_->goals(static_cast<int>(lane), &goal);
      goal = std::max(goal, 0);
      MoveMean& mean = means[lane % legal.size()];
      mean.goals += goal;
      ++mean.playouts;
      note(lane, goal);
    }
    if (std::ranges::all_of(playing_, [](std::uint64_t word) { return word == 0; })) return true;
    if (depth % MOVES_BETWEEN_STOPS == 0 && stop()) return false;
    engine_->choose(playing_.data());
    engine_->list_chosen(playing_.data(), chosen_);
  }
  return true;
}

void Descents::note(std::size_t lane, std::int32_t goal) {
  const std::vector<std::int32_t>& rest = chosen_.rows[lane];
  if (goal < best_.goal || (goal == best_.goal && made_.size() + rest.size() >= best_.rows.size())) return;
  best_ = {goal, made_};
  best_.rows.insert(best_.rows.end(), rest.begin(), rest.end());
}

}  // namespace gdl
