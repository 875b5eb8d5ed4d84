#include "scoring/pattern_table.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace gdl {

PatternTable::PatternTable(const PatternGroupTables& group)
    : neighbourhood_(group.neighbourhood),
      narrow_(group.mask.size() == 1 && group.mask[0] >> 32 == 0),
      mask_(group.mask) {
  constexpr std::uint64_t SEEDS = 64;  // tried for each size
  const std::size_t count = group.slots.size();
  last_group_ = std::max<std::size_t>(1, std::bit_ceil(count) / 2) - 1;
  std::vector<std::uint64_t> hashes(count);
  for (std::size_t size = count + count / 8 + 1; size < (std::size_t{1} << 30); size += size / 8 + 1) {
    n_places_ = static_cast<std::uint32_t>(size);
    for (seed_ = 1; seed_ <= SEEDS; ++seed_) {
      for (std::size_t pattern = 0; pattern < count; ++pattern) {
        hashes[pattern] = hash_of_masked(&group.keys[pattern * mask_.size()]);
      }
      const std::vector<std::uint32_t> places = displace(hashes);
      if (places.size() != count) continue;
      fill(group, places);
      return;
    }
  }
  throw std::invalid_argument("patterns: keys are not distinct");
}

// The largest groups are placed first, while there is room.
std::vector<std::uint32_t> PatternTable::displace(const std::vector<std::uint64_t>& hashes) {
  std::vector<std::vector<std::size_t>> groups(last_group_ + 1);
  for (std::size_t pattern = 0; pattern < hashes.size(); ++pattern) {
    groups[hashes[pattern] & last_group_].push_back(pattern);
  }
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t left, std::size_t right) { return groups[left].size() > groups[right].size(); });
  displacements_.assign(groups.size(), 0);
  std::vector<bool> taken(n_places_, false);
  std::vector<std::uint32_t> places(hashes.size());
  for (const std::size_t group : order) {
    if (!displace_group(groups[group], hashes, taken, places)) return {};
  }
  return places;
}

bool PatternTable::displace_group(std::span<const std::size_t> group, const std::vector<std::uint64_t>& hashes,
                                  std::vector<bool>& taken, std::vector<std::uint32_t>& places) {
  for (std::uint32_t displacement = 0; displacement <= std::numeric_limits<std::uint8_t>::max(); ++displacement) {
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

void PatternTable::fill(const PatternGroupTables& group, const std::vector<std::uint32_t>& places) {
  const std::size_t words = mask_.size();
  entries_.assign(n_places_, PatternEntry{});
  if (!narrow_) words_.assign(n_places_ * words, 0);
  for (std::size_t pattern = 0; pattern < places.size(); ++pattern) {
    const std::uint64_t* key = &group.keys[pattern * words];
    entries_[places[pattern]] = {.key = static_cast<std::uint32_t>(key[0]),
                                 .adds = static_cast<Slot>(group.slots[pattern])};
    if (!narrow_) std::copy_n(key, words, words_.begin() + static_cast<std::ptrdiff_t>(places[pattern] * words));
  }
}

}  // namespace gdl
