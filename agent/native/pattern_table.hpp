// An exact map from neighbourhood keys to slots that is looked up without branches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "knowledge_tables.hpp"

namespace gdl {

// Cuckoo hashing: a key lies in one of two buckets, so a lookup compares twice and never loops. What an empty bucket
// says adds nothing, so it may match.
class PatternTable {
 public:
  struct Entry {
    std::uint64_t key = 0;   // the first word, masked
    std::int32_t value = 0;  // of the slot
    std::int32_t slot = 0;   // 0 adds nothing
  };

  // `nothing` is the value that adds nothing; slot_value holds the values of the slots.
  PatternTable(const PatternGroupTables& group, std::span<const std::int32_t> slot_value, std::int32_t nothing);

  std::int32_t neighbourhood() const { return neighbourhood_; }
  std::size_t words() const { return mask_.size(); }

  // Calls use(entry) for the two entries that a key may have; use(matches, entry) says whether it does.
  template <class Use>
  void look_up(const std::uint64_t* key, Use use) const {
    const std::uint64_t first = key[0] & mask_[0];
    std::uint64_t hash = mix(seed_, first);
    for (std::size_t word = 1; word < mask_.size(); ++word) hash = mix(hash, key[word] & mask_[word]);
    const std::size_t left = hash & last_;
    const std::size_t right = left ^ step(hash);
    use(entries_[left].key == first && rest_matches(left, key), entries_[left]);
    use(entries_[right].key == first && rest_matches(right, key), entries_[right]);
  }

 private:
  static std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
  }
  // From one bucket of a key to the other; never 0.
  std::size_t step(std::uint64_t hash) const { return ((hash >> 32) | 1) & last_; }
  bool rest_matches(std::size_t bucket, const std::uint64_t* key) const {
    const std::size_t others = mask_.size() - 1;
    for (std::size_t word = 0; word < others; ++word) {
      if (rest_[bucket * others + word] != (key[word + 1] & mask_[word + 1])) return false;
    }
    return true;
  }
  bool fill(const PatternGroupTables& group, std::span<const std::int32_t> slot_value, std::size_t buckets);
  std::uint64_t hash_of(const std::uint64_t* key) const;

  std::int32_t neighbourhood_;
  std::int32_t nothing_;
  std::vector<std::uint64_t> mask_;
  std::vector<Entry> entries_;       // [bucket]
  std::vector<std::uint64_t> rest_;  // [bucket * (words - 1)] further words of the keys
  std::uint64_t seed_ = 0;
  std::size_t last_ = 0;  // buckets - 1, a power of two of buckets
};

}  // namespace gdl
