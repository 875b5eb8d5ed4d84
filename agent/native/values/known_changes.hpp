// What changes of facts do to the places that the tuples of a view select. The moves of a game make the same changes in
// many positions, so what they do is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "values/value_network.hpp"

namespace gdl {

// A fact that begins or ceases to hold: 2 * fact + 1 if it held before, else 2 * fact.
using FactChange = std::int32_t;

// One thread at a time may use it.
class KnownChanges {
 public:
  // The network and the weights, [room], must outlive this object, and the weights stay as they are.
  KnownChanges(const ValueNetwork& network, std::span<const std::int32_t> weights);

  struct Effect {
    std::int64_t facts;                // what the weights of the facts add up to
    std::span<const TupleTerm> terms;  // of the tuples that move, each of which is named once
  };
  // The effect of changes in a view. It stays as it is until the next call.
  Effect find(const ValueView& view, std::span<const FactChange> changes);

 private:
  struct KnownChange {
    const ValueView* view = nullptr;
    std::uint32_t first_change = 0, n_changes = 0;
    std::uint32_t first_term = 0, n_terms = 0;
    std::int64_t facts = 0;
  };

  Effect effect(const KnownChange& slot) const { return {slot.facts, {terms_.data() + slot.first_term, slot.n_terms}}; }
  void forget();
  void work_out(const ValueView& view, std::span<const FactChange> changes, KnownChange& slot);

  std::span<const std::int32_t> weights_;
  std::vector<KnownChange> slots_;     // at the hash of their changes
  std::vector<FactChange> changes_;    // of all slots
  std::vector<TupleTerm> terms_;       // of all slots
  std::vector<std::int32_t> term_of_;  // scratch: [tuple] place of its term, or -1
};

}  // namespace gdl
