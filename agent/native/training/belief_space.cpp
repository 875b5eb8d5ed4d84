#include "training/belief_space.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "random/random.hpp"

namespace gdl {

BeliefSpace::BeliefSpace(std::size_t words, std::vector<std::uint64_t> states, std::vector<std::int32_t> roles,
                         std::vector<double> beliefs)
    : words_(words), states_(std::move(states)), roles_(std::move(roles)), beliefs_(std::move(beliefs)) {
  if (states_.size() != roles_.size() * words_ || beliefs_.size() != roles_.size()) {
    throw std::invalid_argument("beliefs: there is not one role and one belief for each state");
  }
  for (std::size_t place = 0; place < roles_.size(); ++place) {
    places_.emplace(hash(roles_[place], state_at(place)), place);
  }
}

double BeliefSpace::belief(std::int32_t role, std::span<const std::uint64_t> state) const {
  const auto [first, last] = places_.equal_range(hash(role, state));
  for (auto each = first; each != last; ++each) {
    const std::size_t place = each->second;
    if (roles_[place] == role && std::ranges::equal(state_at(place), state)) return beliefs_[place];
  }
  return -1;
}

std::uint64_t BeliefSpace::hash(std::int32_t role, std::span<const std::uint64_t> state) {
  auto hash = static_cast<std::uint64_t>(role);
  for (const std::uint64_t word : state) hash = hash_combine(hash, word);
  return hash;
}

}  // namespace gdl
