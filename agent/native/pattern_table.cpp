#include "pattern_table.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace gdl {

PatternTable::PatternTable(const PatternGroupTables& group, std::span<const Slot> slots, std::int32_t nothing)
    : neighbourhood_(group.neighbourhood), nothing_(nothing), mask_(group.mask) {
  constexpr std::uint64_t kSeeds = 64;  // of each size
  const std::size_t count = group.slots.size();
  last_group_ = std::max<std::size_t>(1, std::bit_ceil(count) / 2) - 1;
  std::vector<std::uint64_t> hashes(count);
  for (std::size_t size = std::bit_ceil(count + count / 8 + 1); size < (std::size_t{1} << 30); size *= 2) {
    last_ = size - 1;
    for (seed_ = 1; seed_ <= kSeeds; ++seed_) {
      for (std::size_t pattern = 0; pattern < count; ++pattern) {
        hashes[pattern] = hash_of(&group.keys[pattern * mask_.size()]);
      }
      const std::vector<std::size_t> places = displace(hashes);
      if (places.size() != count) continue;
      fill(group, slots, places);
      return;
    }
  }
  throw std::invalid_argument("patterns: keys are not distinct");
}

std::uint64_t PatternTable::hash_of(const std::uint64_t* key) const {
  std::uint64_t hash = seed_;
  for (std::size_t word = 0; word < mask_.size(); ++word) hash = mix(hash, key[word]);
  return hash;
}

// The largest groups first, while there is room.
std::vector<std::size_t> PatternTable::displace(const std::vector<std::uint64_t>& hashes) {
  std::vector<std::vector<std::size_t>> groups(last_group_ + 1);
  for (std::size_t pattern = 0; pattern < hashes.size(); ++pattern) {
    groups[hashes[pattern] & last_group_].push_back(pattern);
  }
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t left, std::size_t right) { return groups[left].size() > groups[right].size(); });
  displacements_.assign(groups.size(), 0);
  std::vector<bool> taken(last_ + 1, false);
  std::vector<std::size_t> places(hashes.size());
  for (const std::size_t group : order) {
    if (!displace_group(groups[group], hashes, taken, places)) return {};
  }
  return places;
}

bool PatternTable::displace_group(std::span<const std::size_t> group, const std::vector<std::uint64_t>& hashes,
                                  std::vector<bool>& taken, std::vector<std::size_t>& places) {
  for (std::size_t displacement = 0; displacement <= std::numeric_limits<std::uint8_t>::max(); ++displacement) {
    std::size_t placed = 0;
    for (; placed < group.size(); ++placed) {
      const std::size_t pattern = group[placed];
      places[pattern] = place(hashes[pattern], displacement);
      if (taken[places[pattern]]) break;
      taken[places[pattern]] = true;
    }
    if (placed == group.size()) {
      if (!group.empty()) displacements_[hashes[group[0]] & last_group_] = static_cast<std::uint8_t>(displacement);
      return true;
    }
    while (placed > 0) taken[places[group[--placed]]] = false;
  }
  return false;
}

void PatternTable::fill(const PatternGroupTables& group, std::span<const Slot> slots,
                        const std::vector<std::size_t>& places) {
  const std::size_t words = mask_.size();
  entries_.assign(last_ + 1, Entry{.key = 0, .adds = {nothing_, 0}});
  rest_.assign((last_ + 1) * (words - 1), 0);
  for (std::size_t pattern = 0; pattern < places.size(); ++pattern) {
    const std::uint64_t* key = &group.keys[pattern * words];
    const auto slot = static_cast<std::size_t>(group.slots[pattern]);
    entries_[places[pattern]] = {.key = key[0], .adds = slots[slot]};
    std::copy(key + 1, key + words, rest_.begin() + static_cast<std::ptrdiff_t>(places[pattern] * (words - 1)));
  }
}

}  // namespace gdl
