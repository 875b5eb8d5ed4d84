// The policy that draws the moves of a simulation where the lanes do not draw them uniformly.
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
  int searcher;                   // the role that searches
};

class PlayoutPolicy {
 public:
  virtual ~PlayoutPolicy() = default;

  // Draws the move of a role among `rows`, which are several, and returns its place.
  virtual std::size_t draw(Flight& flight, const PlayoutState& at, int role, std::span<const std::int32_t> rows) = 0;
};

// Uniform draws. A search with this policy leaves all moves to its lane, which draws faster.
class UniformPlayouts final : public PlayoutPolicy {
 public:
  std::size_t draw(Flight& flight, const PlayoutState&, int, std::span<const std::int32_t> rows) override {
    return static_cast<std::size_t>(flight.draws.below(rows.size()));
  }
};

// Draws by a statistic of the search: Counted::draw(flight, rows).
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

// Draws a place in proportion to its weight; at least one weight is above 0.
inline std::size_t draw_by_weight(std::span<const std::uint32_t> weights, Draws& draws) {
  std::uint64_t rest = draws.below(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
  std::size_t place = 0;
  while (rest >= weights[place]) rest -= weights[place++];
  return place;
}

}  // namespace gdl
