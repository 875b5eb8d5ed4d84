#include "condition_table.hpp"

namespace gdl {
namespace {

std::vector<std::uint64_t> first_bits(std::size_t count) {
  std::vector<std::uint64_t> bits((count + 63) / 64, ~std::uint64_t{0});
  if (count % 64 != 0) bits.back() = (std::uint64_t{1} << (count % 64)) - 1;
  return bits;
}

void set_bit(std::uint64_t* bits, std::size_t number) { bits[number / 64] |= std::uint64_t{1} << (number % 64); }

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
  std::vector<std::vector<Hit>> hits(n_conditions);
  for (std::size_t slot = 0; slot < slots.value.size(); ++slot) {
    for (std::int32_t at = slots.start[slot]; at < slots.start[slot + 1]; ++at) {
      const auto hit = static_cast<std::size_t>(at);
      const auto condition = static_cast<std::size_t>(slots.hit_condition[hit]);
      hits[condition].push_back({static_cast<Slot>(slot), slots.hit_value[hit]});
    }
  }
  for (const std::vector<Hit>& of_condition : hits) {
    hit_start_.push_back(static_cast<std::int32_t>(hits_.size()));
    hits_.insert(hits_.end(), of_condition.begin(), of_condition.end());
  }
  hit_start_.push_back(static_cast<std::int32_t>(hits_.size()));
}

template <std::size_t kWords>
void ConditionTable::fail(std::span<const std::uint64_t> items, std::uint64_t* failed) const {
  const std::size_t words = kWords != 0 ? kWords : conditions_.size();
  for (std::size_t word = 0; word < items_.size(); ++word) {
    for_each_bit(items_[word] & ~items[word], word, [&](std::size_t item) {
      for (std::size_t at = 0; at < words; ++at) failed[at] |= item_conditions_[item * words + at];
    });
  }
}

void ConditionTable::find_failed(std::span<const std::uint64_t> state, Scratch& scratch) const {
  const std::size_t item_words = items_.size();
  scratch.items.assign(item_words, 0);
  std::uint64_t* items = scratch.items.data();
  for (std::size_t word = 0; word < fluents_.size(); ++word) {
    for_each_bit(state[word] & fluents_[word], word, [&](std::size_t fluent) {
      for (std::size_t at = 0; at < item_words; ++at) items[at] |= fluent_items_[fluent * item_words + at];
    });
  }
  scratch.failed.assign(conditions_.size(), 0);
  if (conditions_.size() == 1) return fail<1>(scratch.items, scratch.failed.data());
  if (conditions_.size() == 2) return fail<2>(scratch.items, scratch.failed.data());
  fail<0>(scratch.items, scratch.failed.data());
}

}  // namespace gdl
