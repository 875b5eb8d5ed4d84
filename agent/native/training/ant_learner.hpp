// The weights of one player of a population, which learns what its own afterstates are worth by temporal differences.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "values/value_learner.hpp"
#include "values/value_network.hpp"

namespace gdl {

// How an error of a value changes the weights that the state selects.
enum class StepRule : std::uint8_t {
  Even,     // weight += step * error / number of weights (Sharma 2009, equation 6.3)
  Coherent  // the same, with a step size for each weight as in ValueLearner
};

// One game as the player saw it: the states after its own moves.
struct ForageRecord {
  std::vector<std::uint64_t> states;    // [moves, words]
  std::vector<std::uint64_t> derived;   // [moves, derived.words()] packed derived facts
  std::vector<std::uint8_t> exploring;  // [moves] whether the move was drawn at random
  std::vector<std::int32_t> rows;       // [moves]
  bool ends_terminal = false;           // whether the last state is terminal
  void clear() {
    states.clear();
    derived.clear();
    exploring.clear();
    rows.clear();
    ends_terminal = false;
  }
};

// The sums of goals, 0..100, that games brought to moves and features, and how often each was seen.
struct Deposits {
  std::vector<std::int64_t> feature_goals;  // [role, room]
  std::vector<std::int64_t> feature_count;  // [role, room]
  std::vector<std::int64_t> move_goals;     // [row]
  std::vector<std::int64_t> move_count;     // [row]
};

class AntLearner {
 public:
  // The network must outlive the learner. `start` holds n_weights numbers each.
  AntLearner(const ValueNetwork& network, StepRule rule, double trace, std::int32_t role, LearnedWeights start);
  AntLearner(const AntLearner&) = delete;
  AntLearner& operator=(const AntLearner&) = delete;

  // Learns from a game, its last state first, and adds to the deposits. `goal`: 0..100, or -1 where the game was broken
  // off; then nothing is deposited. By the coherent rule a state before an exploring move learns nothing from it.
  void learn(const ForageRecord& game, std::int32_t goal, double step, Deposits& deposits);

  std::span<const float> weights() const { return learned_.weights; }  // [room]
  // The weights and their errors, cut to n_weights.
  LearnedWeights result() const;
  double squared_error() const { return squared_error_; }
  std::int64_t updates() const { return updates_; }

 private:
  void deposit(std::int32_t row, std::int32_t goal, Deposits& deposits) const;
  // `sign` is that of the sum in the value to the role.
  void update(double error, float sign, double step);

  const ValueNetwork& network_;
  StepRule rule_;
  double trace_;
  std::int32_t role_;
  LearnedWeights learned_;  // [room] each
  ValueSum<float, double> sum_;
  double squared_error_ = 0;
  std::int64_t updates_ = 0;
};

}  // namespace gdl
