// What the states that the moves of a position lead to are worth.
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
      : network_(network), sum_(network, weights), after_(network.state_words()) {}

  // Takes a packed state, which must last while it is asked about.
  void begin(const std::uint64_t* state) {
    state_ = state;
    view_ = nullptr;
  }
  // The sum for a role of the state that differs in these fluents.
  Sum after(std::span<const std::int32_t> changed, std::int32_t role) {
    const bool shared = network_.n_outputs == 1;
    const ValueView& view = network_.view(phase_after(changed), shared ? 0 : role);
    if (&view != view_) {
      sum_.begin(view, state_);
      view_ = &view;
    }
    const Sum sum = sum_.after(changed, state_);
    return view.against != (shared && role == 1) ? -sum : sum;
  }

 private:
  std::int32_t phase_after(std::span<const std::int32_t> changed) {
    std::copy_n(state_, after_.size(), after_.begin());
    for (const std::int32_t fluent : changed) {
      after_[static_cast<std::size_t>(fluent / 64)] ^= std::uint64_t{1} << (fluent % 64);
    }
    return network_.phase(after_.data());
  }

  const ValueNetwork& network_;
  ValueSum<Weight, Sum> sum_;
  const std::uint64_t* state_ = nullptr;
  const ValueView* view_ = nullptr;  // the one that sum_ began with, nullptr if it has not begun
  std::vector<std::uint64_t> after_;
};

}  // namespace gdl
