// How the moves of a simulation are drawn, where the lanes do not draw them uniformly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "random/draws.hpp"
#include "search/flight.hpp"

namespace gdl {

// A state that a simulation has come to.
struct PlayoutState {
  const std::uint64_t* state;     // packed
  const std::int32_t* last_rows;  // [n_roles] the joint move that led to it
};

class PlayoutPolicy {
 public:
  virtual ~PlayoutPolicy() = default;

  // The place of the move that a role makes among `rows`, which are several.
  virtual std::size_t draw(Flight& flight, const PlayoutState& at, int role, std::span<const std::int32_t> rows) = 0;
};

// As the lanes draw, which are faster: a search has this policy and leaves all moves to its lane.
class UniformPlayouts final : public PlayoutPolicy {
 public:
  std::size_t draw(Flight& flight, const PlayoutState&, int, std::span<const std::int32_t> rows) override {
    return static_cast<std::size_t>(flight.draws.below(rows.size()));
  }
};

// Draws by what the search has counted: Counted::draw(flight, rows).
template <typename Counted>
class CountedPlayouts final : public PlayoutPolicy {
 public:
  // The statistic must outlive the policy.
  explicit CountedPlayouts(Counted& counted) : counted_(counted) {}

  std::size_t draw(Flight& flight, const PlayoutState&, int, std::span<const std::int32_t> rows) override {
    return counted_.draw(flight, rows);
  }

 private:
  Counted& counted_;
};

// A random place, each in proportion to its weight; some weight is above 0.
inline std::size_t draw_by_weight(std::span<const std::uint32_t> weights, Draws& draws) {
  std::uint64_t rest = draws.below(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
  std::size_t place = 0;
  while (rest >= weights[place]) rest -= weights[place++];
  return place;
}

}  // namespace gdl
