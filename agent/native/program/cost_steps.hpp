// The steps that find costs, as they are found role by role, and the way from there to steps for lanes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "circuit/literal.hpp"
#include "circuit/relaxed_costs.hpp"

namespace gdl {

struct OrderedStep {
  CostStep kind;
  std::int32_t slot;                             // the one that it writes
  Literal literal;                               // of a move
  std::vector<std::vector<std::int32_t>> terms;  // slots
  std::int32_t role;
  int level;     // in a loop, of the loop; a step that reads nothing comes before those that read it
  int distance;  // from the step of a loop that others after it ask for; 0 outside loops
  int loop;      // number of its loop, 0 outside loops

  CostShape shape() const {
    const auto number = [this](std::size_t slots) {
      return static_cast<std::int32_t>(std::ranges::count(terms, slots, &std::vector<std::int32_t>::size));
    };
    const std::size_t longest = terms.empty() ? 0 : terms.back().size();
    return {kind, number(1), number(2), number(3), longest > 3 ? static_cast<std::int32_t>(longest) : 0};
  }
  auto order() const { return std::tuple(role, level, !terms.empty(), loop, -distance, shape()); }
  template <class Take>
  void for_each_read(Take take) const {
    for (const std::vector<std::int32_t>& term : terms) std::ranges::for_each(term, take);
  }
};

class CostSteps {
 public:
  // The first value of a slot that is written before it is read.
  static constexpr std::uint8_t WRITTEN = RelaxedCosts::MOST + 1;

  struct StepsBefore {
    std::size_t slots;
    std::size_t steps;
  };
  StepsBefore mark() const { return {initial_.size(), steps_.size()}; }
  void forget_after(const StepsBefore& mark) {
    initial_.resize(mark.slots);
    steps_.resize(mark.steps);
  }

  // Adds a slot that begins with this cost, or with WRITTEN. Slots get other numbers in the result.
  std::int32_t new_slot(std::uint8_t initial) {
    initial_.push_back(initial);
    return static_cast<std::int32_t>(initial_.size()) - 1;
  }
  // Adds a step that reads these slots.
  void add(OrderedStep step, std::span<const std::int32_t> reads) {
    for (const std::int32_t read : reads) step.terms.push_back({read});
    steps_.push_back(std::move(step));
  }

  // `roles`: [role] the slot with its cost, or NO_SLOT.
  RelaxedCosts result(std::span<const std::int32_t> roles);

 private:
  void drop_unread();
  void join_steps();
  void join(std::size_t number, const std::vector<int>& readers, std::vector<std::uint8_t>& joined,
            std::vector<std::uint8_t>& visited);
  void put_off_reads();
  void number_slots();
  // [slot] the step that writes it, their number if none does.
  std::vector<std::size_t> writers() const;

  std::vector<std::uint8_t> initial_;  // [slot] at first, or WRITTEN
  std::vector<OrderedStep> steps_;
  std::vector<std::int32_t> roles_;  // [role] slot, or NO_SLOT
  std::vector<std::size_t> writer_;  // scratch: writers()
  RelaxedCosts costs_;
};

}  // namespace gdl
