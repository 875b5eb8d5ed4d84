#include "training/ant_learner.hpp"

#include <cmath>
#include <utility>

#include "arithmetic/logarithm.hpp"

namespace gdl {
namespace {

LearnedWeights with_room(LearnedWeights start, const ValueNetwork& network) {
  for (std::vector<float>* each : {&start.weights, &start.error_sum, &start.error_size}) each->resize(network.room);
  return start;
}

}  // namespace

AntLearner::AntLearner(const ValueNetwork& network, StepRule rule, double trace, std::int32_t role,
                       LearnedWeights start)
    : network_(network),
      rule_(rule),
      trace_(trace),
      role_(role),
      learned_(with_room(std::move(start), network)),
      sum_(network, learned_.weights) {}

void AntLearner::learn(const ForageRecord& game, std::int32_t goal, double step, Deposits& deposits) {
  const std::size_t words = network_.state_words(), derived_words = network_.derived.words();
  const std::int32_t player = network_.player_of(role_);
  const bool shared = network_.shared();
  bool known = goal >= 0;  // whether a value follows the state that is looked at
  double next = known ? goal / 100.0 : 0, target = next;
  for (std::size_t move = game.rows.size(); move-- > 0;) {
    const std::uint64_t* state = game.states.data() + move * words;
    const ValueView& view = network_.view(network_.phase(state), shared ? 0 : player);
    const float sign = view.against != (shared && player == 1) ? -1.0f : 1.0f;
    const double value = logistic(sign * sum_.begin(view, state, game.derived.data() + move * derived_words));
    if (goal >= 0) deposit(game.rows[move], goal, deposits);
    if (game.ends_terminal && move + 1 == game.rows.size()) continue;
    const bool explored = rule_ == StepRule::Coherent && move + 1 < game.rows.size() && game.exploring[move + 1] != 0;
    if (known && !explored) {
      target = (1 - trace_) * next + trace_ * target;
      update(target - value, sign, step);
    } else {
      target = value;
    }
    next = value;
    known = true;
  }
}

void AntLearner::deposit(std::int32_t row, std::int32_t goal, Deposits& deposits) const {
  const std::size_t first = static_cast<std::size_t>(role_) * network_.room;
  for (const std::int32_t place : sum_.selected()) {
    deposits.feature_goals[first + static_cast<std::size_t>(place)] += goal;
    ++deposits.feature_count[first + static_cast<std::size_t>(place)];
  }
  deposits.move_goals[static_cast<std::size_t>(row)] += goal;
  ++deposits.move_count[static_cast<std::size_t>(row)];
}

void AntLearner::update(double error, float sign, double step) {
  squared_error_ += error * error;
  ++updates_;
  const auto part = static_cast<float>(step / static_cast<double>(sum_.selected().size()));
  const auto gradient = sign * static_cast<float>(error);
  for (const std::int32_t place : sum_.selected()) {
    const auto i = static_cast<std::size_t>(place);
    if (rule_ == StepRule::Even) {
      learned_.weights[i] += part * gradient;
      continue;
    }
    const float size = learned_.error_size[i];
    const float rate = size > 0 ? std::fabs(learned_.error_sum[i]) / size : 1.0f;
    learned_.weights[i] += part * rate * gradient;
    learned_.error_sum[i] += gradient;
    learned_.error_size[i] += std::fabs(gradient);
  }
}

LearnedWeights AntLearner::result() const {
  LearnedWeights result = learned_;
  for (std::vector<float>* each : {&result.weights, &result.error_sum, &result.error_size}) {
    each->resize(network_.n_weights);
  }
  return result;
}

}  // namespace gdl
