// A bounded store of afterstates that strong players have reached (belief space: Sharma 2009, section 9.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace gdl {

class BeliefSpace {
 public:
  // `states`: [n, words] packed, `roles`: [n] the role whose players believe in the state, `beliefs`: [n], not
  // negative. A state occurs once for each role at most. Throws std::invalid_argument where the sizes do not fit.
  BeliefSpace(std::size_t words, std::vector<std::uint64_t> states, std::vector<std::int32_t> roles,
              std::vector<double> beliefs);

  bool empty() const { return roles_.empty(); }
  // The belief of a role in a packed state, -1 where there is none.
  double belief(std::int32_t role, std::span<const std::uint64_t> state) const;

 private:
  static std::uint64_t hash(std::int32_t role, std::span<const std::uint64_t> state);
  std::span<const std::uint64_t> state_at(std::size_t place) const {
    return std::span(states_).subspan(place * words_, words_);
  }

  std::size_t words_;
  std::vector<std::uint64_t> states_;
  std::vector<std::int32_t> roles_;
  std::vector<double> beliefs_;
  std::unordered_multimap<std::uint64_t, std::size_t> places_;  // by hash
};

}  // namespace gdl
