// What new nodes are worth by the values that a player has learned, in place of playouts or mixed with them.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "random/draws.hpp"
#include "search/player_spec.hpp"
#include "values/value_function.hpp"

namespace gdl {

class LeafValues {
 public:
  // The player must outlive this object.
  explicit LeafValues(const PlayerSpec& player) : weight_(player.value_weight), experience_(player.experience) {
    if (player.values != nullptr && (weight_ > 0 || experience_ > 0)) values_.emplace(*player.values);
  }

  bool on() const { return values_.has_value(); }
  // Whether a node's moves are valued when it opens.
  bool value_moves() const { return on() && experience_ > 0; }
  // Whether a playout goes on from a new node to the end of the match.
  bool simulate() const { return !on() || weight_ < 1; }
  // Visits that the value of a move counts as.
  std::uint32_t experience() const { return experience_; }

  // Takes a packed state, which must last while it is asked about.
  void begin(const std::uint64_t* state) { values_->begin(state); }
  // The value to every role, [n_roles] 0..100, of the state that differs in these fluents.
  void after(std::span<const std::int32_t> changed, double* values) { values_->after(changed, values); }

  // What a playout brings that ended with these goals below a state of these values, [n_roles]; `goals` is nullptr
  // where there was no playout. Fractions are rounded at random, so that they are right on average, and so that goals
  // of two roles that add up to 100 still do.
  void mix(std::span<const double> values, const std::int32_t* goals, Draws& draws, std::int32_t* mixed) const {
    constexpr std::uint64_t PARTS = std::uint64_t{1} << 32;
    const double part = static_cast<double>(draws.below(PARTS)) / PARTS;
    for (std::size_t role = 0; role < values.size(); ++role) {
      const double exact = goals == nullptr ? values[role] : weight_ * values[role] + (1 - weight_) * goals[role];
      mixed[role] = static_cast<std::int32_t>(role % 2 == 0 ? std::floor(exact + part) : std::ceil(exact - part));
    }
  }

 private:
  std::optional<StateValues> values_;
  double weight_;
  std::uint32_t experience_;
};

}  // namespace gdl
