#include "pattern_table.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace gdl {

PatternTable::PatternTable(const PatternGroupTables& group, std::span<const Slot> slots, std::int32_t nothing)
    : neighbourhood_(group.neighbourhood), nothing_(nothing), mask_(group.mask) {
  constexpr std::uint64_t kSeeds = 64;  // of each size
  for (std::size_t buckets = std::bit_ceil(5 * group.slots.size() / 2 + 2); buckets < (std::size_t{1} << 30);
       buckets *= 2) {
    for (seed_ = 1; seed_ <= kSeeds; ++seed_) {
      if (fill(group, slots, buckets)) return;
    }
  }
  throw std::invalid_argument("patterns: keys are not distinct");
}

std::uint64_t PatternTable::hash_of(const std::uint64_t* key) const {
  std::uint64_t hash = seed_;
  for (std::size_t word = 0; word < mask_.size(); ++word) hash = mix(hash, key[word]);
  return hash;
}

// Cuckoo insertion: a pattern takes its bucket, whoever was there goes to its other bucket. False if that never ends.
bool PatternTable::fill(const PatternGroupTables& group, std::span<const Slot> slots, std::size_t buckets) {
  const std::size_t words = mask_.size();
  const int most_moves = 64 + 2 * static_cast<int>(std::bit_width(buckets));
  std::vector<std::int32_t> resident(buckets, -1);
  last_ = buckets - 1;
  for (std::size_t pattern = 0; pattern < group.slots.size(); ++pattern) {
    auto moving = static_cast<std::int32_t>(pattern);
    std::size_t bucket = hash_of(&group.keys[pattern * words]) & last_;
    for (int moves = 0; moving >= 0; ++moves) {
      if (moves == most_moves) return false;
      std::swap(moving, resident[bucket]);
      if (moving < 0) break;
      const std::uint64_t hash = hash_of(&group.keys[static_cast<std::size_t>(moving) * words]);
      const std::size_t left = hash & last_;
      bucket = bucket == left ? left ^ step(hash) : left;
    }
  }
  entries_.assign(buckets, Entry{.key = 0, .adds = {nothing_, 0}});
  rest_.assign(buckets * (words - 1), 0);
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    if (resident[bucket] < 0) continue;
    const auto pattern = static_cast<std::size_t>(resident[bucket]);
    const std::int32_t slot = group.slots[pattern];
    const std::uint64_t* key = &group.keys[pattern * words];
    entries_[bucket] = {.key = key[0], .adds = slots[static_cast<std::size_t>(slot)]};
    std::copy(key + 1, key + words, rest_.begin() + static_cast<std::ptrdiff_t>(bucket * (words - 1)));
  }
  return true;
}

}  // namespace gdl
