// An exact map from neighbourhood keys to slots that is looked up without branches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "knowledge_tables.hpp"
#include "slot.hpp"

namespace gdl {

// Perfect hashing (Belazzougui, Botelho & Dietzfelbinger, "Hash, displace, and compress", 2009): every group of keys is
// displaced so that no two keys meet, so a lookup compares once and never loops, and the table is small enough to stay
// in the cache beside others. An empty entry adds nothing, so it may match.
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

  // What a key adds: `nothing` for one that is not there. A mask instead of a branch: whether a key is known is as good
  // as random.
  template <bool kOneWord>
  Slot look_up(const std::uint64_t* key) const {
    const std::uint64_t first = key[0] & mask_[0];
    std::uint64_t hash = mix(seed_, first);
    if constexpr (!kOneWord) {
      for (std::size_t word = 1; word < mask_.size(); ++word) hash = mix(hash, key[word] & mask_[word]);
    }
    const std::size_t at = place(hash, displacements_[hash & last_group_]);
    const Entry& entry = entries_[at];
    std::uint64_t differs = entry.key ^ first;
    if constexpr (!kOneWord) differs |= rest_differs(at, key);
    const std::int32_t matches = -static_cast<std::int32_t>(differs == 0);
    return {(entry.adds.value & matches) | (nothing_ & ~matches), entry.adds.changing & matches};
  }

 private:
  static std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
  }
  std::size_t place(std::uint64_t hash, std::size_t displacement) const {
    return ((hash >> 20) + displacement * ((hash >> 42) | 1)) & last_;
  }
  std::uint64_t rest_differs(std::size_t at, const std::uint64_t* key) const {
    const std::size_t others = mask_.size() - 1;
    std::uint64_t differs = 0;
    for (std::size_t word = 0; word < others; ++word) {
      differs |= rest_[at * others + word] ^ (key[word + 1] & mask_[word + 1]);
    }
    return differs;
  }
  // The place of every key; empty where some meet, whatever the displacements.
  std::vector<std::size_t> displace(const std::vector<std::uint64_t>& hashes);
  bool displace_group(std::span<const std::size_t> group, const std::vector<std::uint64_t>& hashes,
                      std::vector<bool>& taken, std::vector<std::size_t>& places);
  void fill(const PatternGroupTables& group, std::span<const Slot> slots, const std::vector<std::size_t>& places);
  std::uint64_t hash_of(const std::uint64_t* key) const;

  std::int32_t neighbourhood_;
  std::int32_t nothing_;
  std::vector<std::uint64_t> mask_;
  std::vector<std::uint8_t> displacements_;  // [group of keys]
  std::vector<Entry> entries_;               // [place]
  std::vector<std::uint64_t> rest_;          // [place * (words - 1)] further words of the keys
  std::uint64_t seed_ = 0;
  std::size_t last_ = 0;        // places - 1, a power of two of places
  std::size_t last_group_ = 0;  // groups - 1, a power of two of groups
};

}  // namespace gdl
