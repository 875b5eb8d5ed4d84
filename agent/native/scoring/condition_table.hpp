// The conditions (itemsets) of features, and the amounts that features add to weights in a state.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "scoring/knowledge_tables.hpp"
#include "scoring/scoring_work.hpp"
#include "scoring/slot.hpp"

namespace gdl {

// Calls use(number) for every bit that is set, in ascending order.
template <class Use>
inline void for_each_bit(std::uint64_t bits, std::size_t word, Use use) {
  for (; bits != 0; bits &= bits - 1) use(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
}

// Rows of bits, of which those are united whose numbers are set in a bit set. Four numbers are looked up at once.
class UnionTable {
 public:
  UnionTable() = default;
  // `rows` [number, words].
  UnionTable(std::span<const std::uint64_t> rows, std::size_t words);

  bool empty() const { return quartets_.empty(); }
  // Cells of the table that unite() reads: for every four numbers, one for every four words.
  std::int64_t cells() const { return std::ssize(quartets_) * static_cast<std::int64_t>((words_ + 3) / 4); }
  // Adds the rows whose numbers are set in `bits` to `united` [words].
  void unite(const std::uint64_t* bits, std::span<std::uint64_t> united) const;

 private:
  static constexpr std::size_t QUARTET = 4;  // numbers that are looked up at once

  struct Quartet {
    std::uint32_t word;
    std::uint32_t shift;  // of the numbers in the word
  };

  template <std::size_t Words>
  void unite_words(const std::uint64_t* bits, std::size_t first, std::uint64_t* united) const;

  std::size_t words_ = 0;
  std::vector<Quartet> quartets_;      // those with a row that is not empty
  std::vector<std::uint64_t> unions_;  // [quartet, numbers set among its four, word]
};

// An item holds if one of its fluents does, a condition if none of its items fails.
class ConditionTable {
 public:
  struct ConditionScratch {
    std::vector<std::uint64_t> missing;  // bits of fluents that are false and each an item of their own
    std::vector<std::uint64_t> items;    // bits of the items of several fluents that hold, then of those that do not
    std::vector<std::uint64_t> failed;   // bits of the conditions that do not hold
    std::vector<std::int32_t> changed;   // amounts where conditions change them
    const std::int32_t* adds = nullptr;  // [slot] amount that the slot adds
  };

  ConditionTable() = default;
  ConditionTable(const ConditionTables& conditions, const SlotTables& slots);

  // Finds the amounts that slots add in a state: scratch.adds.
  template <bool FirstFeature>
  void evaluate(std::span<const std::uint64_t> state, ConditionScratch& scratch, ScoringWork& work) const {
    scratch.adds = values_.data();
    if (conditions_.empty()) return;
    scratch.changed.assign(values_.begin(), values_.end());
    scratch.adds = scratch.changed.data();
    find_failed(state, scratch);
    work.slots += std::ssize(values_);
    work.unions += fail_without_.cells() + hold_with_.cells() + fail_without_items_.cells();
    for (std::size_t word = 0; word < conditions_.size(); ++word) {
      for_each_bit(conditions_[word] & ~scratch.failed[word], word, [&](std::size_t condition) {
        work.hits += hit_start_[condition + 1] - hit_start_[condition];
        for (std::int32_t at = hit_start_[condition]; at < hit_start_[condition + 1]; ++at) {
          const SlotHit& hit = hits_[static_cast<std::size_t>(at)];
          std::int32_t& value = scratch.changed[hit.slot];
          value = join<FirstFeature>(value, hit.value);
        }
      });
    }
  }

 private:
  struct SlotHit {
    Slot slot;
    std::int32_t value;
  };

  void read_items(const ConditionTables& tables);
  void read_hits(const SlotTables& slots, std::size_t n_conditions);
  void find_failed(std::span<const std::uint64_t> state, ConditionScratch& scratch) const;

  std::vector<std::int32_t> values_;       // [slot] amount in any state
  std::vector<std::uint64_t> conditions_;  // bits of all conditions
  std::vector<std::uint64_t> fluents_;     // bits of the fluents that are an item each
  UnionTable fail_without_;                // [fluent] conditions that fail if this item does
  std::vector<std::uint64_t> items_;       // bits of the items of several fluents
  UnionTable hold_with_;                   // [fluent] items of several fluents that hold if the fluent does
  UnionTable fail_without_items_;          // [item] conditions that fail if this item of several fluents does
  std::vector<std::int32_t> hit_start_;    // [condition + 1]
  std::vector<SlotHit> hits_;              // the hits of a condition follow each other
};

}  // namespace gdl
