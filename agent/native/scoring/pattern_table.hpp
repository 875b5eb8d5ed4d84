// An exact map from neighbourhood keys to slots that is looked up without branches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scoring/knowledge_tables.hpp"
#include "scoring/slot.hpp"

namespace gdl {

// Perfect hashing (Belazzougui, Botelho & Dietzfelbinger 2009): every group of keys is displaced so that no two keys
// have the same place. A lookup compares once and never loops, and the table is small enough to stay in the cache
// beside those of other knowledge. An empty entry adds nothing, so it may match.
class PatternTable {
 public:
  explicit PatternTable(const PatternGroupTables& group);

  std::int32_t neighbourhood() const { return neighbourhood_; }

  // The place that a key would have; the entry there is fetched from memory.
  std::uint32_t find(const std::uint64_t* key) const {
    const std::uint64_t hash = narrow_ ? mix(seed_, key[0] & mask_[0]) : hash_of_masked(key);
    const std::uint32_t at = place(hash, displacements_[hash & last_group_]);
    __builtin_prefetch(&entries_[at]);
    if (!narrow_) __builtin_prefetch(&words_[at * mask_.size()]);
    return at;
  }

  // The slot of a key with this place, or slot 0 if the table does not hold the key. A mask replaces a branch, which
  // could not be predicted.
  Slot look_up(std::uint32_t at, const std::uint64_t* key) const {
    const PatternEntry& entry = entries_[at];
    const bool matches = narrow_ ? entry.key == static_cast<std::uint32_t>(key[0] & mask_[0]) : matches_at(at, key);
    return entry.adds & -static_cast<Slot>(matches);
  }

 private:
  struct PatternEntry {
    std::uint32_t key = 0;  // masked key, if keys are narrow
    Slot adds = 0;
  };

  static std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
  }
  // The place: 32 bits of the hash, moved on by the displacement in steps of other bits, and scaled.
  std::uint32_t place(std::uint64_t hash, std::uint32_t displacement) const {
    const std::uint32_t step = static_cast<std::uint32_t>(hash >> 32) | 1;
    const std::uint32_t moved = static_cast<std::uint32_t>(hash >> 12) + displacement * step;
    return static_cast<std::uint32_t>(moved * std::uint64_t{n_places_} >> 32);
  }
  std::uint64_t hash_of_masked(const std::uint64_t* key) const {
    std::uint64_t hash = seed_;
    for (std::size_t word = 0; word < mask_.size(); ++word) hash = mix(hash, key[word] & mask_[word]);
    return hash;
  }
  bool matches_at(std::uint32_t at, const std::uint64_t* key) const {
    std::uint64_t differs = 0;
    for (std::size_t word = 0; word < mask_.size(); ++word) {
      differs |= words_[at * mask_.size() + word] ^ (key[word] & mask_[word]);
    }
    return differs == 0;
  }
  // The place of every key; empty if some keys share a place with every displacement.
  std::vector<std::uint32_t> displace(const std::vector<std::uint64_t>& hashes);
  bool displace_group(std::span<const std::size_t> group, const std::vector<std::uint64_t>& hashes,
                      std::vector<bool>& taken, std::vector<std::uint32_t>& places);
  void fill(const PatternGroupTables& group, const std::vector<std::uint32_t>& places);

  std::int32_t neighbourhood_;
  bool narrow_;  // whether keys have 32 bits
  std::uint32_t n_places_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t last_group_ = 0;  // number of groups - 1; the number is a power of two
  std::vector<std::uint64_t> mask_;
  std::vector<std::uint8_t> displacements_;  // [group of keys]
  std::vector<PatternEntry> entries_;        // [place]
  std::vector<std::uint64_t> words_;         // [place * words] masked keys, if they are wide
};

}  // namespace gdl
