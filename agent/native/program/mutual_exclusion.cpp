#include "program/mutual_exclusion.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "program/refuter.hpp"

namespace gdl {

namespace {

constexpr std::size_t LARGEST_GROUP = 64;
constexpr std::size_t MOST_FLUENTS = 8192;
constexpr std::uint64_t MOST_WORK = 200'000'000;  // literals that are looked at

}  // namespace

void check_groups(const FluentGroups& groups, const Circuit& circuit) {
  const auto& start = groups.start();
  const auto size = static_cast<std::int32_t>(groups.values().size());
  if (start.empty() ? size != 0 : start.front() != 0 || start.back() != size) {
    throw std::invalid_argument("circuit: group_start must begin with 0 and end with the size of group_fluents");
  }
  if (!std::ranges::is_sorted(start)) throw std::invalid_argument("circuit: group_start falls");
  const auto outside = [&](std::int32_t fluent) { return fluent < 0 || fluent >= circuit.n_fluents; };
  if (std::ranges::any_of(groups.values(), outside)) {
    throw std::invalid_argument("circuit: group_fluents: no such fluent");
  }
}

MutualExclusion::MutualExclusion(const Circuit& circuit, const FluentGroups& groups)
    : place_(static_cast<std::size_t>(circuit.n_fluents), -1) {
  suppose(circuit, groups);
  if (words_ != 0) keep_inductive(circuit);
}

void MutualExclusion::flip(std::int32_t i, std::int32_t j) {
  pairs_[static_cast<std::size_t>(i) * words_ + static_cast<std::size_t>(j / 64)] ^= std::uint64_t{1} << (j % 64);
  pairs_[static_cast<std::size_t>(j) * words_ + static_cast<std::size_t>(i / 64)] ^= std::uint64_t{1} << (i % 64);
}

// Supposes all pairs within groups of which at most one fluent holds in the beginning.
void MutualExclusion::suppose(const Circuit& circuit, const FluentGroups& groups) {
  const auto initially = [&](std::int32_t fluent) { return circuit.initial[static_cast<std::size_t>(fluent)] != 0; };
  std::vector<std::size_t> plausible;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto members = groups[group];
    if (members.size() < 2 || members.size() > LARGEST_GROUP || std::ranges::count_if(members, initially) > 1) continue;
    plausible.push_back(group);
    for (const std::int32_t fluent : members) {
      std::int32_t& place = place_[static_cast<std::size_t>(fluent)];
      if (place >= 0) continue;
      place = static_cast<std::int32_t>(fluents_.size());
      fluents_.push_back(fluent);
    }
  }
  if (fluents_.size() > MOST_FLUENTS) {
    std::ranges::fill(place_, -1);
    return;
  }
  words_ = (fluents_.size() + 63) / 64;
  pairs_.assign(fluents_.size() * words_, 0);
  for (const std::size_t group : plausible) {
    const auto members = groups[group];
    for (std::size_t a = 0; a < members.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const std::int32_t i = place_[static_cast<std::size_t>(members[a])];
        const std::int32_t j = place_[static_cast<std::size_t>(members[b])];
        if (i != j && !bit(i, j)) flip(i, j);
      }
    }
  }
}

void MutualExclusion::keep_inductive(const Circuit& circuit) {
  Refuter refuter(circuit, [this](std::int32_t one, std::int32_t other) { return exclusive(one, other); });
  const auto next = [&](std::int32_t fluent) { return circuit.next[static_cast<std::size_t>(fluent)]; };
  std::vector<std::pair<std::int32_t, std::int32_t>> left = pairs();
  for (std::size_t before = 0; before != left.size();) {
    before = left.size();
    std::erase_if(left, [&](const auto& pair) {
      if (refuter.work() <= MOST_WORK && refuter.refutes(next(pair.first), next(pair.second))) return false;
      flip(place_[static_cast<std::size_t>(pair.first)], place_[static_cast<std::size_t>(pair.second)]);
      return true;
    });
  }
}

std::vector<std::pair<std::int32_t, std::int32_t>> MutualExclusion::pairs() const {
  std::vector<std::pair<std::int32_t, std::int32_t>> found;
  for (std::int32_t one = 0; one < static_cast<std::int32_t>(place_.size()); ++one) {
    for (std::int32_t other = 0; other < one && place_[static_cast<std::size_t>(one)] >= 0; ++other) {
      if (exclusive(one, other)) found.emplace_back(one, other);
    }
  }
  return found;
}

}  // namespace gdl
