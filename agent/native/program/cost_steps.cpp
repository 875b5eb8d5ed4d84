#include "program/cost_steps.hpp"

#include <limits>
#include <map>
#include <utility>

namespace gdl {

// Steps of one shape come together, for the sake of the lanes.
RelaxedCosts CostSteps::result(std::span<const std::int32_t> roles) {
  roles_.assign(roles.begin(), roles.end());
  drop_unread();
  join_steps();
  put_off_reads();
  std::ranges::stable_sort(steps_, {}, &OrderedStep::order);
  number_slots();
  std::map<int, std::pair<std::int32_t, std::int32_t>> loops;
  std::map<CostShape, std::int32_t> shapes;
  for (const OrderedStep& step : steps_) {
    const auto number = static_cast<std::int32_t>(costs_.shape.size());
    if (step.loop != 0) loops.try_emplace(step.loop, number, number).first->second.second = number + 1;
    std::vector<std::int32_t> code{step.slot};
    if (step.kind == CostStep::Move) code.push_back(static_cast<std::int32_t>(step.literal));
    step.for_each_read([&code](std::int32_t slot) { code.push_back(slot); });
    const auto known = shapes.try_emplace(step.shape(), static_cast<std::int32_t>(shapes.size())).first;
    if (known->second == std::ssize(costs_.shapes)) costs_.shapes.push_back(known->first);
    costs_.shape.push_back(known->second);
    costs_.steps.append(code);
  }
  std::vector<std::pair<std::int32_t, std::int32_t>> ascending;
  for (const auto& [_, span] : loops) ascending.push_back(span);
  std::ranges::sort(ascending);
  for (const auto& [first, last] : ascending) costs_.loops.insert(costs_.loops.end(), {first, last});
  costs_.role = roles_;
  return std::move(costs_);
}

std::vector<std::size_t> CostSteps::writers() const {
  std::vector<std::size_t> found(initial_.size(), steps_.size());
  for (std::size_t number = 0; number < steps_.size(); ++number) {
    found[static_cast<std::size_t>(steps_[number].slot)] = number;
  }
  return found;
}

// Drops the steps that no cost of a role follows from.
void CostSteps::drop_unread() {
  writer_ = writers();
  std::vector<std::uint8_t> asked(steps_.size(), 0);
  std::vector<std::size_t> open;
  const auto ask = [&](std::int32_t slot) {
    const std::size_t number = slot == RelaxedCosts::NO_SLOT ? steps_.size() : writer_[static_cast<std::size_t>(slot)];
    if (number < steps_.size() && std::exchange(asked[number], 1) == 0) open.push_back(number);
  };
  std::ranges::for_each(roles_, ask);
  while (!open.empty()) {
    const std::size_t number = open.back();
    open.pop_back();
    steps_[number].for_each_read(ask);
  }
  std::size_t number = 0;
  std::erase_if(steps_, [&](const OrderedStep&) { return asked[number++] == 0; });
}

// Makes steps that one other step alone reads a part of it where it can take them: the terms of one like it, and few
// slots of one that is not. So fewer costs are written and read.
void CostSteps::join_steps() {
  std::vector<int> readers(initial_.size(), 0);
  writer_ = writers();
  for (const OrderedStep& step : steps_) {
    step.for_each_read([&](std::int32_t slot) { ++readers[static_cast<std::size_t>(slot)]; });
  }
  for (const std::int32_t slot : roles_) {
    if (slot != RelaxedCosts::NO_SLOT) readers[static_cast<std::size_t>(slot)] += 2;  // is read beside
  }
  std::vector<std::uint8_t> joined(steps_.size(), 0), visited(steps_.size(), 0);
  for (std::size_t number = 0; number < steps_.size(); ++number) join(number, readers, joined, visited);
  std::size_t number = 0;
  std::erase_if(steps_, [&](const OrderedStep&) { return joined[number++] != 0; });
  for (OrderedStep& step : steps_) std::ranges::stable_sort(step.terms, {}, &std::vector<std::int32_t>::size);
}

void CostSteps::join(std::size_t number, const std::vector<int>& readers, std::vector<std::uint8_t>& joined,
                     std::vector<std::uint8_t>& visited) {
  if (std::exchange(visited[number], 1) != 0) return;
  std::vector<std::vector<std::int32_t>> terms;
  bool long_term = false;
  for (std::size_t i = 0; i < steps_[number].terms.size(); ++i) {
    const std::vector<std::int32_t> term = steps_[number].terms[i];
    const auto slot = static_cast<std::size_t>(term[0]);
    const std::size_t source = writer_[slot];
    terms.push_back(term);
    if (term.size() > 1 || source == steps_.size() || readers[slot] != 1) continue;
    join(source, readers, joined, visited);
    const OrderedStep& step = steps_[number];
    const OrderedStep& other = steps_[source];
    if (other.kind == CostStep::Move || other.loop != step.loop || source == number || joined[source] != 0) continue;
    const bool alike = (other.kind == CostStep::Sum) == (step.kind == CostStep::Sum);
    const bool few = other.terms.size() <= (long_term ? 3 : CostShape::MOST_REST) &&
                     std::ranges::all_of(other.terms, [](const auto& each) { return each.size() == 1; });
    const bool other_long = std::ranges::any_of(other.terms, [](const auto& each) { return each.size() > 3; });
    if (alike ? long_term && other_long : !few) continue;
    long_term |= alike ? other_long : other.terms.size() > 3;
    joined[source] = 1;
    terms.pop_back();
    if (alike) {
      terms.insert(terms.end(), other.terms.begin(), other.terms.end());
    } else {
      terms.emplace_back();
      other.for_each_read([&terms](std::int32_t read) { terms.back().push_back(read); });
    }
  }
  steps_[number].terms = std::move(terms);
}

// Steps that read nothing come where what they write is read first.
void CostSteps::put_off_reads() {
  std::vector<int> level(initial_.size(), std::numeric_limits<int>::max());
  for (const OrderedStep& step : steps_) {
    step.for_each_read([&](std::int32_t slot) {
      int& first = level[static_cast<std::size_t>(slot)];
      first = std::min(first, step.level);
    });
  }
  for (OrderedStep& step : steps_) {
    const int first = level[static_cast<std::size_t>(step.slot)];
    if (step.terms.empty() && step.loop == 0 && first != std::numeric_limits<int>::max()) step.level = first;
  }
}

// Slots that are something at first come before the others, which share numbers where one is not read after another
// is written, so that few stay in the fast memory.
void CostSteps::number_slots() {
  std::vector<std::int32_t> number(initial_.size(), RelaxedCosts::NO_SLOT);
  std::vector<std::uint8_t> used(initial_.size(), 0);
  for (const OrderedStep& step : steps_) {
    step.for_each_read([&](std::int32_t slot) { used[static_cast<std::size_t>(slot)] = 1; });
    used[static_cast<std::size_t>(step.slot)] = 1;
  }
  for (std::size_t slot = 0; slot < initial_.size(); ++slot) {
    if (used[slot] == 0 || initial_[slot] == WRITTEN) continue;
    number[slot] = static_cast<std::int32_t>(costs_.initial.size());
    costs_.initial.push_back(initial_[slot]);
  }
  std::vector<std::size_t> last(initial_.size(), 0);  // [slot] the step that reads it last
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    steps_[step].for_each_read([&](std::int32_t slot) { last[static_cast<std::size_t>(slot)] = step; });
  }
  for (const std::int32_t slot : roles_) {
    if (slot != RelaxedCosts::NO_SLOT) last[static_cast<std::size_t>(slot)] = steps_.size();
  }
  std::vector<std::int32_t> unused;
  auto n_slots = static_cast<std::int32_t>(costs_.initial.size());
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    OrderedStep& step = steps_[at];
    step.for_each_read([&](std::int32_t read) {
      const auto slot = static_cast<std::size_t>(read);
      if (initial_[slot] != WRITTEN || last[slot] != at) return;
      unused.push_back(number[slot]);
      last[slot] = steps_.size();  // once
    });
    std::int32_t& own = number[static_cast<std::size_t>(step.slot)];
    if (own == RelaxedCosts::NO_SLOT) {
      if (unused.empty()) unused.push_back(n_slots++);
      own = unused.back();
      unused.pop_back();
    }
    step.slot = own;
  }
  for (OrderedStep& step : steps_) {
    for (std::vector<std::int32_t>& term : step.terms) {
      for (std::int32_t& slot : term) slot = number[static_cast<std::size_t>(slot)];
    }
  }
  for (std::int32_t& slot : roles_) {
    if (slot != RelaxedCosts::NO_SLOT) slot = number[static_cast<std::size_t>(slot)];
  }
}

}  // namespace gdl
