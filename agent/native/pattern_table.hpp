// An exact map from neighbourhood keys to slots that is looked up without branches.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "knowledge_tables.hpp"
#include "slot.hpp"

namespace gdl {

// Cuckoo hashing: a key lies in one of two buckets, so a lookup compares twice and never loops. An empty bucket adds
// nothing, so it may match.
class PatternTable {
 public:
  struct Entry {
    std::uint64_t key = 0;  // the first word, masked
    Slot adds{0, 0};
  };

  // `nothing` is the value that adds nothing.
  PatternTable(const PatternGroupTables& group, std::span<const Slot> slots, std::int32_t nothing);

  std::int32_t neighbourhood() const { return neighbourhood_; }
  std::size_t words() const { return mask_.size(); }

  // What a key adds: the slots of the two entries that it may have, `nothing` for one that it has not.
  template <bool kOneWord>
  std::array<Slot, 2> look_up(const std::uint64_t* key) const {
    const std::uint64_t first = key[0] & mask_[0];
    std::uint64_t hash = mix(seed_, first);
    if constexpr (!kOneWord) {
      for (std::size_t word = 1; word < mask_.size(); ++word) hash = mix(hash, key[word] & mask_[word]);
    }
    const std::size_t left = hash & last_;
    return {slot_at<kOneWord>(left, first, key), slot_at<kOneWord>(left ^ step(hash), first, key)};
  }

 private:
  static std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
  }
  // From one bucket of a key to the other; never 0.
  std::size_t step(std::uint64_t hash) const { return ((hash >> 32) | 1) & last_; }
  // A mask instead of a branch: whether a key is known is as good as random.
  template <bool kOneWord>
  Slot slot_at(std::size_t bucket, std::uint64_t first, const std::uint64_t* key) const {
    const Entry& entry = entries_[bucket];
    std::uint64_t differs = entry.key ^ first;
    if constexpr (!kOneWord) differs |= rest_differs(bucket, key);
    const std::int32_t matches = -static_cast<std::int32_t>(differs == 0);
    return {(entry.adds.value & matches) | (nothing_ & ~matches), entry.adds.changing & matches};
  }
  std::uint64_t rest_differs(std::size_t bucket, const std::uint64_t* key) const {
    const std::size_t others = mask_.size() - 1;
    std::uint64_t differs = 0;
    for (std::size_t word = 0; word < others; ++word) {
      differs |= rest_[bucket * others + word] ^ (key[word + 1] & mask_[word + 1]);
    }
    return differs;
  }
  bool fill(const PatternGroupTables& group, std::span<const Slot> slots, std::size_t buckets);
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
