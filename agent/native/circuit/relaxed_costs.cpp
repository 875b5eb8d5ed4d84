#include "circuit/relaxed_costs.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gdl {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("relaxed costs: ") + what);
}

}  // namespace

void RelaxedCosts::check(std::int32_t n_fluents, std::int32_t n_roles) const {
  require(role.size() == static_cast<std::size_t>(n_roles), "there is not one slot for each role");
  for (const Literal input : inputs) require(slot_of(input) < static_cast<std::uint32_t>(n_fluents), "no such fluent");
  for (const std::uint8_t cost : initial) require(cost <= MOST, "a cost is too large");
  const auto is_slot = [this](std::int32_t slot) { return slot >= 0 && static_cast<std::size_t>(slot) < n_slots(); };
  for (const std::int32_t slot : role) require(slot == NO_SLOT || is_slot(slot), "a role has no slot");
  const std::vector<std::int32_t>& start = steps.start();
  require(kinds.size() + 1 == start.size() && start.front() == 0 &&
              static_cast<std::size_t>(start.back()) == steps.values().size(),
          "there is not one kind for each step");
  for (std::size_t step = 0; step < kinds.size(); ++step) {
    require(start[step + 1] >= start[step] + 2, "a step reads nothing");
    require(kinds[step] <= static_cast<std::uint8_t>(CostStep::Move), "a step is of no kind");
  }
  require(std::ranges::all_of(steps.values(), is_slot), "a step names no slot");
  require(loops.size() % 2 == 0 && std::ranges::is_sorted(loops), "loops do not ascend");
  for (const std::int32_t step : loops) {
    require(step >= 0 && static_cast<std::size_t>(step) <= kinds.size(), "a loop names no step");
  }
}

RelaxedCosts::Ran RelaxedCosts::run(std::size_t number, std::vector<std::uint8_t>& slots) const {
  const std::span<const std::int32_t> step = steps[number];
  std::uint8_t& slot = slots[static_cast<std::size_t>(step[0])];
  std::uint8_t sum = 0, least = MOST;
  for (const std::int32_t read : step.subspan(1)) {
    const std::uint8_t cost = slots[static_cast<std::size_t>(read)];
    sum = static_cast<std::uint8_t>(std::min(sum + cost, int{MOST}));
    least = std::min(least, cost);
  }
  const std::uint8_t before = slot;
  switch (static_cast<CostStep>(kinds[number])) {
    case CostStep::Sum:
      slot = sum;
      break;
    case CostStep::Least:
      slot = least;
      break;
    case CostStep::Move:
      slot = std::min(slot, static_cast<std::uint8_t>(least + 1));
      break;
  }
  return {step.size() - 1, slot != before};
}

std::size_t RelaxedCosts::find(const std::uint64_t* state, std::uint8_t* costs) const {
  std::vector<std::uint8_t> slots;
  slots.reserve(n_slots());
  for (const Literal input : inputs) {
    const bool holds = (state[slot_of(input) / 64] >> (slot_of(input) % 64) & 1u) != 0;
    slots.push_back(holds != is_complemented(input) ? 0 : MOST);
  }
  slots.insert(slots.end(), initial.begin(), initial.end());
  std::size_t reads = n_slots(), number = 0;
  for (std::size_t loop = 0; loop < loops.size(); loop += 2) {
    const auto first = static_cast<std::size_t>(loops[loop]), last = static_cast<std::size_t>(loops[loop + 1]);
    while (number < first) reads += run(number++, slots).reads;
    bool changes = true;
    for (int sweep = 0; changes && sweep < MOST_SWEEPS; ++sweep) {
      changes = false;
      for (number = first; number < last; ++number) {
        const Ran ran = run(number, slots);
        reads += ran.reads;
        changes |= ran.changes;
      }
    }
  }
  while (number < kinds.size()) reads += run(number++, slots).reads;
  for (std::size_t each = 0; each < role.size(); ++each) {
    costs[each] = role[each] == NO_SLOT ? 0 : slots[static_cast<std::size_t>(role[each])];
  }
  return reads;
}

}  // namespace gdl
