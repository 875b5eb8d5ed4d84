// The ants of each role tell each other pheromone and desirability of moves and of features of afterstates
// (Sharma 2009, section 8.2). The features of a state are the weights that it selects in a value network.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arithmetic/logarithm.hpp"
#include "values/afterstate_value.hpp"
#include "values/value_network.hpp"

namespace gdl {

// One of the two quantities.
struct LandscapeLayer {
  std::vector<float> features;  // [role, n_weights]
  std::vector<float> moves;     // [row]
  double influence = 0;         // exponent in the product with the value of an afterstate
};

struct Landscape {
  LandscapeLayer pheromone;
  LandscapeLayer desirability;
  bool empty() const { return pheromone.moves.empty(); }
};

// Reads a landscape for one role. One thread at a time may use it.
class LandscapeOfRole {
 public:
  // The network must outlive this object.
  LandscapeOfRole(const ValueNetwork& network, const Landscape& landscape, std::int32_t role)
      : role_(role),
        ones_(network.room, 1.0f),
        number_(network, ones_),
        pheromone_(network, landscape.pheromone, role),
        desirability_(network, landscape.desirability, role) {}
  LandscapeOfRole(const LandscapeOfRole&) = delete;
  LandscapeOfRole& operator=(const LandscapeOfRole&) = delete;

  // See AfterstateValue.
  void begin(const std::uint64_t* state, std::span<const std::uint64_t> usual) {
    number_.begin(state, usual);
    pheromone_.sums.begin(state, usual);
    desirability_.sums.begin(state, usual);
  }
  // The logarithm of pheromone times desirability, with their influences, of a move and of the state that it leads to,
  // which differs in these fluents and has these packed derived facts.
  double log_attraction(std::int32_t row, std::span<const std::int32_t> changed,
                        std::span<const std::uint64_t> derived) {
    const double number = 1 + std::fabs(number_.after(changed, derived, role_));
    return pheromone_.log_mean(row, changed, derived, role_, number) +
           desirability_.log_mean(row, changed, derived, role_, number);
  }

 private:
  static constexpr double LEAST = 1e-6;  // of a mean

  struct Layer {
    Layer(const ValueNetwork& network, const LandscapeLayer& layer, std::int32_t role)
        : features(features_of(network, layer, role)),
          moves(layer.moves),
          influence(layer.influence),
          sums(network, features) {}
    static std::vector<float> features_of(const ValueNetwork& network, const LandscapeLayer& layer, std::int32_t role) {
      const auto own =
          std::span(layer.features).subspan(static_cast<std::size_t>(role) * network.n_weights, network.n_weights);
      std::vector<float> features(own.begin(), own.end());
      features.resize(network.room);
      return features;
    }
    double log_mean(std::int32_t row, std::span<const std::int32_t> changed, std::span<const std::uint64_t> derived,
                    std::int32_t role, double number) {
      const double sum = moves[static_cast<std::size_t>(row)] + std::fabs(sums.after(changed, derived, role));
      return influence * natural_log(std::max(LEAST, sum / number));
    }
    std::vector<float> features;  // [room]
    std::span<const float> moves;
    double influence;
    AfterstateValue<float, double> sums;
  };

  std::int32_t role_;
  std::vector<float> ones_;                // [room]
  AfterstateValue<float, double> number_;  // of features
  Layer pheromone_;
  Layer desirability_;
};

}  // namespace gdl
