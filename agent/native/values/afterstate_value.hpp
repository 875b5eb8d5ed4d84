// The values of the states that the moves of a position lead to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "values/value_network.hpp"

namespace gdl {

// The sums of weights whose logistic function is the value of a state to a role. One thread at a time may use it.
template <class Weight, class Sum>
class AfterstateValue {
 public:
  // The network and the weights, [room], must outlive this object. Weights may change between calls of begin().
  AfterstateValue(const ValueNetwork& network, std::span<const Weight> weights)
      : network_(network),
        outputs_(static_cast<std::size_t>(network.n_outputs), Output{{network, weights}, nullptr}),
        after_(network.state_words()) {}

  // Takes a packed state, and packed derived facts, [derived.words()], that states after it are likely to have.
  // Both must last while they are asked about.
  void begin(const std::uint64_t* state, std::span<const std::uint64_t> usual) {
    state_ = state;
    usual_ = usual.data();
    for (Output& output : outputs_) output.view = nullptr;
  }
  // The sum for a role, which is a player, of the state that differs in these fluents. `derived`: its packed
  // derived facts.
  Sum after(std::span<const std::int32_t> changed, std::span<const std::uint64_t> derived, std::int32_t role) {
    const bool shared = network_.shared();
    const std::int32_t player = network_.player_of(role), number = shared ? 0 : player;
    const ValueView& view = network_.view(phase_after(changed), number);
    Output& output = outputs_[static_cast<std::size_t>(number)];
    if (&view != output.view) {
      output.sum.begin(view, state_, usual_);
      output.view = &view;
    }
    const Sum sum = output.sum.after(changed, derived.data(), state_, usual_);
    return view.against != (shared && player == 1) ? -sum : sum;
  }

 private:
  std::int32_t phase_after(std::span<const std::int32_t> changed) {
    std::copy_n(state_, after_.size(), after_.begin());
    for (const std::int32_t fluent : changed) {
      after_[static_cast<std::size_t>(fluent / 64)] ^= std::uint64_t{1} << (fluent % 64);
    }
    return network_.phase(after_.data());
  }

  struct Output {
    ValueSum<Weight, Sum> sum;
    const ValueView* view;  // the one that the sum began with, nullptr if it has not begun
  };

  const ValueNetwork& network_;
  std::vector<Output> outputs_;
  const std::uint64_t* state_ = nullptr;
  const std::uint64_t* usual_ = nullptr;
  std::vector<std::uint64_t> after_;
};

}  // namespace gdl
