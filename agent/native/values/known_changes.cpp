#include "values/known_changes.hpp"

#include <algorithm>

namespace gdl {
namespace {

// Two changes of the same hash take turns in a slot.
constexpr std::size_t N_SLOTS = 4096;
// All is forgotten when so many terms are kept, most of which fit a processor's second cache.
constexpr std::size_t MOST_TERMS = std::size_t{1} << 16;
constexpr std::uint64_t MULTIPLIER = 0x9E3779B97F4A7C15u;

// Changes are few: calling a function to compare them would take longer.
bool same(std::span<const FactChange> changes, const FactChange* others) {
  FactChange differences = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) differences |= changes[i] ^ others[i];
  return differences == 0;
}

}  // namespace

KnownChanges::KnownChanges(const ValueNetwork& network, std::span<const std::int32_t> weights)
    : weights_(weights), slots_(N_SLOTS) {
  std::size_t tuples = 0;
  for (const ValueView& view : network.views) tuples = std::max(tuples, view.tuple_weight.size());
  term_of_.assign(tuples, -1);
}

KnownChanges::Effect KnownChanges::find(const ValueView& view, std::span<const FactChange> changes) {
  auto hash = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&view));
  for (const FactChange change : changes) hash = (hash ^ static_cast<std::uint64_t>(change)) * MULTIPLIER;
  KnownChange& slot = slots_[hash >> 52];
  static_assert(N_SLOTS == std::size_t{1} << 12);
  if (slot.view == &view && slot.n_changes == changes.size() && same(changes, changes_.data() + slot.first_change)) {
    return effect(slot);
  }
  if (terms_.size() > MOST_TERMS) forget();
  work_out(view, changes, slot);
  return effect(slot);
}

void KnownChanges::forget() {
  std::ranges::fill(slots_, KnownChange{});
  changes_.clear();
  terms_.clear();
}

void KnownChanges::work_out(const ValueView& view, std::span<const FactChange> changes, KnownChange& slot) {
  slot = {.view = &view,
          .first_change = static_cast<std::uint32_t>(changes_.size()),
          .n_changes = static_cast<std::uint32_t>(changes.size()),
          .first_term = static_cast<std::uint32_t>(terms_.size())};
  changes_.insert(changes_.end(), changes.begin(), changes.end());
  for (const FactChange change : changes) {
    const auto fact = static_cast<std::size_t>(change / 2);
    const bool held = change % 2 != 0;
    if (fact < view.fact_weight.size() && view.fact_weight[fact] != NO_WEIGHT) {
      const std::int64_t weight = weights_[static_cast<std::size_t>(view.fact_weight[fact])];
      slot.facts += held ? -weight : weight;
    }
    for (const TupleTerm& each : view.terms[fact]) {
      std::int32_t& place = term_of_[static_cast<std::size_t>(each.tuple)];
      if (place < 0) {
        place = static_cast<std::int32_t>(terms_.size());
        terms_.push_back({each.tuple, 0});
      }
      terms_[static_cast<std::size_t>(place)].term += held ? -each.term : each.term;
    }
  }
  slot.n_terms = static_cast<std::uint32_t>(terms_.size() - slot.first_term);
  for (std::size_t place = slot.first_term; place < terms_.size(); ++place) {
    term_of_[static_cast<std::size_t>(terms_[place].tuple)] = -1;
  }
}

}  // namespace gdl
