#include "scoring/condition_table.hpp"

#include <algorithm>
#include <array>

namespace gdl {
namespace {

std::vector<std::uint64_t> first_bits(std::size_t count) {
  std::vector<std::uint64_t> bits((count + 63) / 64, ~std::uint64_t{0});
  if (count % 64 != 0) bits.back() = (std::uint64_t{1} << (count % 64)) - 1;
  return bits;
}

void set_bit(std::uint64_t* bits, std::size_t number) { bits[number / 64] |= std::uint64_t{1} << (number % 64); }

}  // namespace

UnionTable::UnionTable(std::span<const std::uint64_t> rows, std::size_t words) : words_(words) {
  const std::size_t numbers = words == 0 ? 0 : rows.size() / words;
  for (std::size_t first = 0; first < numbers; first += QUARTET) {
    const std::size_t count = std::min(QUARTET, numbers - first);
    const auto own = rows.subspan(first * words, count * words);
    if (std::ranges::all_of(own, [](std::uint64_t word) { return word == 0; })) continue;
    quartets_.push_back({static_cast<std::uint32_t>(first / 64), static_cast<std::uint32_t>(first % 64)});
    const std::size_t start = unions_.size();
    unions_.resize(start + (std::size_t{1} << QUARTET) * words);
    for (std::size_t set = 0; set < std::size_t{1} << count; ++set) {
      std::uint64_t* united = unions_.data() + start + set * words;
      for_each_bit(set, 0, [&](std::size_t number) {
        for (std::size_t word = 0; word < words; ++word) united[word] |= own[number * words + word];
      });
    }
  }
}

void UnionTable::unite(const std::uint64_t* bits, std::span<std::uint64_t> united) const {
  std::size_t first = 0;
  for (; first + 4 <= words_; first += 4) unite_words<4>(bits, first, united.data());
  if (words_ - first == 3) unite_words<3>(bits, first, united.data());
  if (words_ - first == 2) unite_words<2>(bits, first, united.data());
  if (words_ - first == 1) unite_words<1>(bits, first, united.data());
}

// Unites some words of the rows, which stay in registers.
template <std::size_t Words>
void UnionTable::unite_words(const std::uint64_t* bits, std::size_t first, std::uint64_t* united) const {
  constexpr std::uint64_t MASK = (std::uint64_t{1} << QUARTET) - 1;
  std::array<std::uint64_t, Words> sum{};
  const std::uint64_t* unions = unions_.data() + first;
  for (const Quartet& quartet : quartets_) {
    const std::uint64_t* found = unions + ((bits[quartet.word] >> quartet.shift) & MASK) * words_;
    for (std::size_t word = 0; word < Words; ++word) sum[word] |= found[word];
    unions += (MASK + 1) * words_;
  }
  for (std::size_t word = 0; word < Words; ++word) united[first + word] |= sum[word];
}

ConditionTable::ConditionTable(const ConditionTables& conditions, const SlotTables& slots)
    : values_(slots.value), conditions_(first_bits(conditions.size.size())) {
  if (conditions_.empty()) return;
  read_items(conditions);
  read_hits(slots, conditions.size.size());
}

void ConditionTable::read_items(const ConditionTables& tables) {
  const std::size_t n_items = tables.item_start.size() - 1, n_fluents = tables.fluent_start.size() - 1;
  std::vector<std::int32_t> fluents_of(n_items);  // number of fluents of each item
  for (const std::int32_t item : tables.fluent_items) ++fluents_of[static_cast<std::size_t>(item)];
  const std::size_t words = conditions_.size(), item_words = (n_items + 63) / 64;
  std::vector<std::uint64_t> item_conditions(n_items * words);
  items_.assign(item_words, 0);
  for (std::size_t item = 0; item < n_items; ++item) {
    if (fluents_of[item] != 1) set_bit(items_.data(), item);
    for (std::int32_t at = tables.item_start[item]; at < tables.item_start[item + 1]; ++at) {
      const std::int32_t condition = tables.item_conditions[static_cast<std::size_t>(at)];
      set_bit(item_conditions.data() + item * words, static_cast<std::size_t>(condition));
    }
  }
  fluents_.assign((n_fluents + 63) / 64, 0);
  std::vector<std::uint64_t> fluent_items(n_fluents * item_words), fluent_conditions(n_fluents * words);
  for (std::size_t fluent = 0; fluent < n_fluents; ++fluent) {
    for (std::int32_t at = tables.fluent_start[fluent]; at < tables.fluent_start[fluent + 1]; ++at) {
      const auto item = static_cast<std::size_t>(tables.fluent_items[static_cast<std::size_t>(at)]);
      if (fluents_of[item] != 1) {
        set_bit(fluent_items.data() + fluent * item_words, item);
        continue;
      }
      set_bit(fluents_.data(), fluent);
      for (std::size_t word = 0; word < words; ++word) {
        fluent_conditions[fluent * words + word] |= item_conditions[item * words + word];
      }
    }
  }
  for (std::size_t item = 0; item < n_items; ++item) {
    if (fluents_of[item] == 1)
      std::fill_n(item_conditions.begin() + static_cast<std::ptrdiff_t>(item * words), words, 0);
  }
  fail_without_ = UnionTable(fluent_conditions, words);
  hold_with_ = UnionTable(fluent_items, item_words);
  fail_without_items_ = UnionTable(item_conditions, words);
}

void ConditionTable::read_hits(const SlotTables& slots, std::size_t n_conditions) {
  std::vector<std::vector<SlotHit>> hits(n_conditions);
  for (std::size_t slot = 0; slot < slots.value.size(); ++slot) {
    for (std::int32_t at = slots.start[slot]; at < slots.start[slot + 1]; ++at) {
      const auto hit = static_cast<std::size_t>(at);
      const auto condition = static_cast<std::size_t>(slots.hit_condition[hit]);
      hits[condition].push_back({static_cast<Slot>(slot), slots.hit_value[hit]});
    }
  }
  for (const std::vector<SlotHit>& of_condition : hits) {
    hit_start_.push_back(static_cast<std::int32_t>(hits_.size()));
    hits_.insert(hits_.end(), of_condition.begin(), of_condition.end());
  }
  hit_start_.push_back(static_cast<std::int32_t>(hits_.size()));
}

void ConditionTable::find_failed(std::span<const std::uint64_t> state, ConditionScratch& scratch) const {
  scratch.failed.assign(conditions_.size(), 0);
  scratch.missing.resize(fluents_.size());
  for (std::size_t word = 0; word < fluents_.size(); ++word) scratch.missing[word] = fluents_[word] & ~state[word];
  fail_without_.unite(scratch.missing.data(), scratch.failed);
  if (fail_without_items_.empty()) return;
  scratch.items.assign(items_.size(), 0);
  hold_with_.unite(state.data(), scratch.items);
  for (std::size_t word = 0; word < items_.size(); ++word) scratch.items[word] = items_[word] & ~scratch.items[word];
  fail_without_items_.unite(scratch.items.data(), scratch.failed);
}

}  // namespace gdl
