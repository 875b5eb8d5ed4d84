// Weights of a value network that are learned from games, by TD(lambda) (Sutton 1988) with a step size for each weight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hardware/huge_pages.hpp"
#include "values/value_network.hpp"

namespace gdl {

// The step size of a weight is the share of its errors that agree in sign: |sum of errors| / sum of |errors| (temporal
// coherence: Beal & Smith 1999).
struct LearnedWeights {
  std::vector<float> weights;     // [n_weights]
  std::vector<float> error_sum;   // [n_weights]
  std::vector<float> error_size;  // [n_weights]
};

// The three numbers of a weight, side by side, because learning needs them together and tables are larger than caches.
struct alignas(16) LearnedWeight {
  float weight = 0;
  float error_sum = 0;
  float error_size = 0;
  operator float() const { return weight; }
};

struct LearningRates {
  double step = 0;      // change of the sum of weights for an error of 1, before the rates of the weights
  double trace = 0;     // lambda
  double discount = 1;  // gamma: with each move before it, a value differs from 0.5 by this factor less
};

// The states of a game, from its first to the last before its end.
struct GameRecord {
  std::vector<std::uint64_t> states;    // [moves, words]
  std::vector<std::uint64_t> derived;   // [moves, derived.words()] packed derived facts
  std::vector<std::uint8_t> exploring;  // [moves] whether the move made there was not chosen by its value
  void clear() {
    states.clear();
    derived.clear();
    exploring.clear();
  }
};

class ValueLearner {
 public:
  // The network must outlive the learner. `start` holds n_weights numbers each.
  ValueLearner(const ValueNetwork& network, LearningRates rates, const LearnedWeights& start);

  // Moves the values of the states of a game, the last one first, towards what came of them, down the gradient of the
  // logistic loss. The value after an exploring move teaches nothing about the state before it. `goals`: [n_roles], or
  // empty if the game was broken off.
  void learn(const GameRecord& game, std::span<const std::int32_t> goals);

  const ValueNetwork& network() const { return network_; }
  std::span<const LearnedWeight> weights() const { return learned_; }  // [room]
  // The weights and their errors, cut to n_weights.
  LearnedWeights result() const;
  // Mean squared difference between the values of states and what came of them.
  double mean_squared_error() const { return updates_ == 0 ? 0 : squared_error_ / static_cast<double>(updates_); }

 private:
  void update(const ValueView& view, double value, double target);
  void copy_to_tied(std::size_t place);

  const ValueNetwork& network_;
  LearningRates rates_;
  std::vector<LearnedWeight, HugePages<LearnedWeight>> learned_;  // [room]
  ValueSum<LearnedWeight, double> sum_;
  double squared_error_ = 0;
  std::int64_t updates_ = 0;
};

}  // namespace gdl
