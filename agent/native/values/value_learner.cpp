#include "values/value_learner.hpp"

#include <cmath>
#include <stdexcept>

#include "arithmetic/logarithm.hpp"

namespace gdl {
namespace {

std::vector<LearnedWeight, HugePages<LearnedWeight>> with_room(const LearnedWeights& start,
                                                               const ValueNetwork& network) {
  for (const std::vector<float>* each : {&start.weights, &start.error_sum, &start.error_size}) {
    if (each->size() != network.n_weights) throw std::invalid_argument("the network has another number of weights");
  }
  std::vector<LearnedWeight, HugePages<LearnedWeight>> learned(network.room);
  for (std::size_t i = 0; i < network.n_weights; ++i) {
    learned[i] = {start.weights[i], start.error_sum[i], start.error_size[i]};
  }
  return learned;
}

double discounted(double value, double discount) { return discount * value + (1 - discount) / 2; }

}  // namespace

ValueLearner::ValueLearner(const ValueNetwork& network, LearningRates rates, const LearnedWeights& start)
    : network_(network), rates_(rates), learned_(with_room(start, network)), sum_(network, learned_) {}

void ValueLearner::learn(const GameRecord& game, std::span<const std::int32_t> goals) {
  const std::size_t words = network_.state_words(), derived_words = network_.derived.words();
  for (std::int32_t output = 0; output < network_.n_outputs; ++output) {
    bool known = !goals.empty();  // whether a value follows the state that is looked at
    double next = known ? goals[static_cast<std::size_t>(network_.role_of(output))] / 100.0 : 0;
    double target = next;
    for (std::size_t move = game.exploring.size(); move-- > 0;) {
      const std::uint64_t* state = game.states.data() + move * words;
      const ValueView& view = network_.view(network_.phase(state), output);
      const double sum = sum_.begin(view, state, game.derived.data() + move * derived_words);
      const double value = logistic(view.against ? -sum : sum);
      if (known && game.exploring[move] == 0) {
        target = discounted((1 - rates_.trace) * next + rates_.trace * target, rates_.discount);
        update(view, value, target);
      } else {
        target = value;
      }
      next = value;
      known = true;
    }
  }
}

void ValueLearner::update(const ValueView& view, double value, double target) {
  const double error = target - value;
  squared_error_ += error * error;
  ++updates_;
  const auto gradient = static_cast<float>(view.against ? -error : error);
  const auto step = static_cast<float>(rates_.step / static_cast<double>(sum_.selected().size()));
  for (const std::int32_t place : sum_.selected()) {
    const auto i = static_cast<std::size_t>(place);
    LearnedWeight& own = learned_[i];
    const float rate = own.error_size > 0 ? std::fabs(own.error_sum) / own.error_size : 1.0f;
    own.weight += step * rate * gradient;
    own.error_sum += gradient;
    own.error_size += std::fabs(gradient);
    if (i < network_.next_tied.size()) copy_to_tied(i);
  }
}

void ValueLearner::copy_to_tied(std::size_t place) {
  const auto next = [this](std::size_t i) { return static_cast<std::size_t>(network_.next_tied[i]); };
  for (std::size_t i = next(place); i != place; i = next(i)) learned_[i] = learned_[place];
}

LearnedWeights ValueLearner::result() const {
  LearnedWeights result;
  for (std::vector<float>* each : {&result.weights, &result.error_sum, &result.error_size}) {
    each->reserve(network_.n_weights);
  }
  for (std::size_t i = 0; i < network_.n_weights; ++i) {
    result.weights.push_back(learned_[i].weight);
    result.error_sum.push_back(learned_[i].error_sum);
    result.error_size.push_back(learned_[i].error_size);
  }
  return result;
}

}  // namespace gdl
