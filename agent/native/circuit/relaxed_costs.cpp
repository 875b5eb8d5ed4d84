#include "circuit/relaxed_costs.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gdl {
namespace {

// The cost of running a step again, beside that of the slots that it reads and writes.
constexpr std::size_t AGAIN = 4;

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("relaxed costs: ") + what);
}

// Costs in some states, which change together.
class CostsTogether {
 public:
  CostsTogether(const RelaxedCosts& costs, std::span<const std::uint64_t> states, std::size_t n_states)
      : costs_(costs), states_(states), n_(n_states), words_(states.size() / n_states), slots_(costs.n_slots * n_) {
    for (std::size_t slot = 0; slot < costs.initial.size(); ++slot) {
      std::fill_n(slots_.begin() + static_cast<std::ptrdiff_t>(slot * n_), n_, costs.initial[slot]);
    }
  }

  std::uint8_t at(std::int32_t slot, std::size_t state) const {
    return slots_[static_cast<std::size_t>(slot) * n_ + state];
  }

  // Returns whether a cost changes in some state.
  bool run(std::size_t number) {
    const std::span<const std::int32_t> step = costs_.steps[number];
    const CostShape& shape = costs_.shape_of(number);
    const std::int32_t* reads = step.data() + shape.head();
    bool changes = false;
    for (std::size_t state = 0; state < n_; ++state) {
      const bool sums = shape.kind == CostStep::Sum;
      int found = sums ? 0 : RelaxedCosts::MOST;
      const std::int32_t* read = reads;
      const auto take = [&](std::int32_t terms, int slots) {
        for (; terms > 0; --terms) {
          int sum = 0, least = RelaxedCosts::MOST;
          for (int i = 0; i < slots; ++i, ++read) {
            sum += at(*read, state);
            least = std::min<int>(least, at(*read, state));
          }
          found = sums ? found + least : std::min(found, sum);
        }
      };
      take(shape.singles, 1);
      take(shape.pairs, 2);
      take(shape.triples, 3);
      take(shape.rest > 0 ? 1 : 0, shape.rest);
      if (shape.kind == CostStep::Move) found = holds(static_cast<Literal>(step[1]), state) ? 0 : found + 1;
      std::uint8_t& own = slots_[static_cast<std::size_t>(step[0]) * n_ + state];
      const auto cost = static_cast<std::uint8_t>(std::min<int>(found, RelaxedCosts::MOST));
      changes |= own != cost;
      own = cost;
    }
    return changes;
  }

 private:
  bool holds(Literal literal, std::size_t state) const {
    const std::uint64_t word = states_[state * words_ + slot_of(literal) / 64];
    return ((word >> (slot_of(literal) % 64) & 1u) != 0) != is_complemented(literal);
  }

  const RelaxedCosts& costs_;
  std::span<const std::uint64_t> states_;
  std::size_t n_;
  std::size_t words_;
  std::vector<std::uint8_t> slots_;  // [slot, state]
};

}  // namespace

void RelaxedCosts::check(std::int32_t n_fluents, std::int32_t n_roles) {
  const std::vector<std::int32_t>& start = steps.start();
  require(role.size() == static_cast<std::size_t>(n_roles), "there is not one slot for each role");
  require(std::ranges::all_of(initial, [](std::uint8_t cost) { return cost <= MOST; }), "a cost is too large");
  for (const CostShape& each : shapes) {
    const auto few = [&](std::int32_t number) { return number >= 0 && number <= start.back(); };
    require(few(each.singles) && few(each.pairs) && few(each.triples) && few(each.rest),
            "a step has no number of terms");
    require(each.rest <= CostShape::MOST_REST, "a term is too long");
  }
  require(shape.size() + 1 == start.size() && start.front() == 0 && std::ranges::is_sorted(start) &&
              static_cast<std::size_t>(start.back()) == steps.values().size(),
          "there is not one shape for each step");
  require(loops.size() % 2 == 0 && std::ranges::is_sorted(loops), "loops do not ascend");
  for (const std::int32_t step : loops) {
    require(step >= 0 && static_cast<std::size_t>(step) <= shape.size(), "a loop names no step");
  }
  std::vector<std::uint8_t> written(initial.size() + shape.size(), 0);
  std::fill_n(written.begin(), initial.size(), 1);
  const auto is_written = [&written](std::int32_t slot) {
    return slot >= 0 && static_cast<std::size_t>(slot) < written.size() && written[static_cast<std::size_t>(slot)] != 0;
  };
  n_slots = initial.size();
  runs.clear();
  std::size_t bound = 0;  // in loops, before which all steps are
  for (std::size_t number = 0; number < shape.size(); ++number) {
    require(shape[number] >= 0 && static_cast<std::size_t>(shape[number]) < shapes.size(), "a step has no shape");
    const CostShape& own = shape_of(number);
    require(own.kind == CostStep::Move || own.reads() > 0, "a step reads nothing");
    const std::span<const std::int32_t> step = steps[number];
    require(std::ssize(step) == own.head() + own.reads(), "a step has another shape");
    if (own.kind == CostStep::Move) {
      require(step[1] >= 0 && slot_of(static_cast<Literal>(step[1])) < static_cast<std::uint32_t>(n_fluents),
              "no such fluent");
    }
    for (const std::int32_t slot : step.subspan(static_cast<std::size_t>(own.head()))) {
      require(is_written(slot), "a step reads what is not written before");
    }
    require(step[0] >= 0 && static_cast<std::size_t>(step[0]) < written.size(), "a step names no slot");
    written[static_cast<std::size_t>(step[0])] = 1;
    n_slots = std::max(n_slots, static_cast<std::size_t>(step[0]) + 1);
    bool bounded = runs.empty();
    while (bound < loops.size() && static_cast<std::size_t>(loops[bound]) <= number) {
      ++bound;
      bounded = true;
    }
    if (bound % 2 == 1 && (static_cast<std::int32_t>(number) - loops[bound - 1]) % BLOCK == 0) bounded = true;
    if (bounded || runs.back().shape != own) runs.push_back({static_cast<std::int32_t>(number), 0, own});
    ++runs.back().count;
  }
  for (const std::int32_t slot : role) require(slot == NO_SLOT || is_written(slot), "a role has no slot");
  std::vector<std::vector<std::int32_t>> readers(n_slots), found(shape.size());
  for (std::size_t loop = 0; loop < loops.size(); loop += 2) {
    for (std::int32_t step = loops[loop]; step < loops[loop + 1]; ++step) {
      const auto number = static_cast<std::size_t>(step);
      for (const std::int32_t slot : steps[number].subspan(static_cast<std::size_t>(shape_of(number).head()))) {
        std::vector<std::int32_t>& own = readers[static_cast<std::size_t>(slot)];
        if (own.empty() || own.back() != step) own.push_back(step);
      }
    }
    for (std::int32_t step = loops[loop]; step < loops[loop + 1]; ++step) {
      const auto number = static_cast<std::size_t>(step);
      found[number] = readers[static_cast<std::size_t>(steps[number][0])];
    }
    for (std::vector<std::int32_t>& each : readers) each.clear();
  }
  block_runs.clear();
  for (std::size_t loop = 0; loop < loops.size(); loop += 2) {
    for (std::int32_t step = loops[loop]; step < loops[loop + 1] + BLOCK; step += BLOCK) {
      const std::int32_t block = std::min(step, loops[loop + 1]);
      block_runs.push_back(
          static_cast<std::int32_t>(std::ranges::lower_bound(runs, block, {}, &AlikeSteps::first) - runs.begin()));
    }
  }
  followers = {};
  for (const std::vector<std::int32_t>& each : found) followers.append(each);
}

std::size_t RelaxedCosts::find(std::span<const std::uint64_t> states, std::size_t n_states, std::uint8_t* costs) const {
  CostsTogether together(*this, states, n_states);
  std::size_t work = initial.size(), number = 0;
  for (std::size_t loop = 0; loop < loops.size(); loop += 2) {
    const auto first = static_cast<std::size_t>(loops[loop]), last = static_cast<std::size_t>(loops[loop + 1]);
    for (; number < first; ++number) {
      together.run(number);
      work += steps[number].size();
    }
    std::vector<std::uint8_t> due(last - first, 1);
    bool again = true;
    for (int sweep = 0; again && sweep < MOST_SWEEPS; ++sweep) {
      again = false;
      for (number = first; number < last; ++number) {
        if (due[number - first] == 0) continue;
        due[number - first] = 0;
        again = true;
        work += steps[number].size() + (sweep == 0 ? 0 : AGAIN);
        if (!together.run(number)) continue;
        for (const std::int32_t follower : followers[number]) due[static_cast<std::size_t>(follower) - first] = 1;
      }
    }
    number = last;
  }
  for (; number < shape.size(); ++number) {
    together.run(number);
    work += steps[number].size();
  }
  for (std::size_t state = 0; state < n_states; ++state) {
    for (const std::int32_t slot : role) *costs++ = slot == NO_SLOT ? 0 : together.at(slot, state);
  }
  return work;
}

}  // namespace gdl
