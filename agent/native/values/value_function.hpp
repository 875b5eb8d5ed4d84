// A learned value network, for searches: its weights are whole numbers, so that sums do not depend on their order.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hardware/huge_pages.hpp"
#include "values/afterstate_value.hpp"
#include "values/value_network.hpp"

namespace gdl {

class ValueFunction {
 public:
  static constexpr double UNIT = 65536;  // of weights

  // `weights`: [n_weights] in UNITs.
  ValueFunction(ValueNetwork network, const std::vector<std::int32_t>& weights)
      : network_(std::move(network)), weights_(weights.begin(), weights.end()) {
    weights_.resize(network_.room);
  }

  const ValueNetwork& network() const { return network_; }
  std::span<const std::int32_t> weights() const { return weights_; }

 private:
  ValueNetwork network_;
  std::vector<std::int32_t, HugePages<std::int32_t>> weights_;
};

// The values of states in goals, 0..100. One thread at a time may use it.
class StateValues {
 public:
  // The function must outlive this object.
  explicit StateValues(const ValueFunction& function)
      : network_(function.network()), sums_(function.network(), function.weights()) {}

  // See AfterstateValue.
  void begin(const std::uint64_t* state, std::span<const std::uint64_t> usual) { sums_.begin(state, usual); }
  // The value to every role, [n_roles], and 0 to that of chance, of the state that differs in these fluents and has
  // these packed derived facts, [derived.words()].
  void after(std::span<const std::int32_t> changed, std::span<const std::uint64_t> derived, double* values) {
    if (network_.chance_role != NO_ROLE) values[network_.chance_role] = 0;
    for (std::int32_t player = 0; player < network_.n_players(); ++player) {
      const std::int32_t role = network_.role_of(player);
      values[role] =
          network_.shared() && player == 1
              ? 100 - values[network_.role_of(0)]
              : 100 * logistic(static_cast<double>(sums_.after(changed, derived, role)) / ValueFunction::UNIT);
    }
  }

 private:
  const ValueNetwork& network_;
  AfterstateValue<std::int32_t, std::int64_t> sums_;
};

}  // namespace gdl
