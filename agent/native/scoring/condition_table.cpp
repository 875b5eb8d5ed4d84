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

// The union of the rows [number, word] whose numbers are set in the words of `bits_of`.
template <std::size_t Words, class BitsOf>
void unite_rows(const std::uint64_t* rows, std::size_t n_bit_words, BitsOf bits_of, std::uint64_t* united) {
  std::array<std::uint64_t, Words> sum{};  // in registers
  for (std::size_t word = 0; word < n_bit_words; ++word) {
    for_each_bit(bits_of(word), word, [&](std::size_t number) {
      for (std::size_t at = 0; at < Words; ++at) sum[at] |= rows[number * Words + at];
    });
  }
  std::copy(sum.begin(), sum.end(), united);
}

template <class BitsOf>
void unite(std::span<const std::uint64_t> rows, std::size_t n_bit_words, BitsOf bits_of,
           std::span<std::uint64_t> united) {
  const std::size_t words = united.size();
  if (words == 1) return unite_rows<1>(rows.data(), n_bit_words, bits_of, united.data());
  if (words == 2) return unite_rows<2>(rows.data(), n_bit_words, bits_of, united.data());
  if (words == 3) return unite_rows<3>(rows.data(), n_bit_words, bits_of, united.data());
  if (words == 4) return unite_rows<4>(rows.data(), n_bit_words, bits_of, united.data());
  std::fill(united.begin(), united.end(), 0);
  for (std::size_t word = 0; word < n_bit_words; ++word) {
    for_each_bit(bits_of(word), word, [&](std::size_t number) {
      for (std::size_t at = 0; at < words; ++at) united[at] |= rows[number * words + at];
    });
  }
}

}  // namespace

ConditionTable::ConditionTable(const ConditionTables& conditions, const SlotTables& slots)
    : values_(slots.value), conditions_(first_bits(conditions.size.size())) {
  if (conditions_.empty()) return;
  read_items(conditions);
  read_hits(slots, conditions.size.size());
}

void ConditionTable::read_items(const ConditionTables& tables) {
  const std::size_t n_items = tables.item_start.size() - 1, n_fluents = tables.fluent_start.size() - 1;
  items_ = first_bits(n_items);
  fluents_.assign((n_fluents + 63) / 64, 0);
  fluent_items_.assign(n_fluents * items_.size(), 0);
  for (std::size_t fluent = 0; fluent < n_fluents; ++fluent) {
    for (std::int32_t at = tables.fluent_start[fluent]; at < tables.fluent_start[fluent + 1]; ++at) {
      const std::int32_t item = tables.fluent_items[static_cast<std::size_t>(at)];
      set_bit(fluent_items_.data() + fluent * items_.size(), static_cast<std::size_t>(item));
      set_bit(fluents_.data(), fluent);
    }
  }
  item_conditions_.assign(n_items * conditions_.size(), 0);
  for (std::size_t item = 0; item < n_items; ++item) {
    for (std::int32_t at = tables.item_start[item]; at < tables.item_start[item + 1]; ++at) {
      const std::int32_t condition = tables.item_conditions[static_cast<std::size_t>(at)];
      set_bit(item_conditions_.data() + item * conditions_.size(), static_cast<std::size_t>(condition));
    }
  }
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
  scratch.items.resize(items_.size());
  scratch.failed.resize(conditions_.size());
  std::uint64_t* items = scratch.items.data();
  unite(fluent_items_, fluents_.size(), [&](std::size_t word) { return state[word] & fluents_[word]; }, scratch.items);
  unite(item_conditions_, items_.size(), [&](std::size_t word) { return items_[word] & ~items[word]; }, scratch.failed);
}

}  // namespace gdl
