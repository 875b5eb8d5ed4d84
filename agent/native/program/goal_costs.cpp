#include "program/goal_costs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/components.hpp"
#include "program/cost_steps.hpp"

namespace gdl {
namespace {

// A literal that a goal or a move asks for. A goal may ask for what holds to be removed. A move may not, so that costs
// seldom go round in circles.
using Demand = std::uint32_t;

constexpr Demand for_goal(Literal literal) { return 2 * literal + 1; }
constexpr Demand for_move(Literal literal) { return 2 * literal; }
constexpr Literal literal_in(Demand demand) { return demand >> 1; }
constexpr bool is_for_goal(Demand demand) { return (demand & 1u) != 0; }

// The cost of a demand: a number that never changes, or that of a slot.
struct Cost {
  bool constant = true;
  std::uint8_t number = RelaxedCosts::MOST;
  std::int32_t slot = RelaxedCosts::NO_SLOT;

  bool is(std::uint8_t other) const { return constant && number == other; }
};

constexpr Cost NOTHING{.number = 0};
constexpr Cost NEVER{};

class CostCompiler {
 public:
  CostCompiler(const Circuit& circuit, const Turns& turns)
      : circuit_(circuit), in_loop_(circuit.gates_in_loops()), free_(static_cast<std::size_t>(circuit.n_fluents), 0) {
    for (const std::int32_t fluent : turns.fluents) free_[static_cast<std::size_t>(fluent)] = 1;
  }

  // Takes the steps for what a literal costs a role.
  void take(std::int32_t role, Literal literal) {
    role_ = role;
    const Demand root = demand_of(literal, true);
    find_needs(root);
    known_.assign(needs_.size(), {});
    level_.assign(needs_.size(), 0);
    const CostSteps::StepsBefore before = steps_.mark();
    sound_ = true;
    const auto degree = [this](Demand demand) { return static_cast<std::uint32_t>(needs_[demand].size()); };
    const auto successor = [this](Demand demand, std::uint32_t edge) { return needs_[demand][edge]; };
    for_each_component(static_cast<std::uint32_t>(needs_.size()), std::span(&root, 1), degree, successor,
                       [this](std::span<const std::uint32_t> component) { take(component); });
    roles_.push_back(sound_ ? known_[root] : NEVER);
    if (!roles_.back().constant) return;
    steps_.forget_after(before);
  }

  RelaxedCosts result() {
    std::vector<std::int32_t> slots;
    for (const Cost& each : roles_) slots.push_back(each.constant ? RelaxedCosts::NO_SLOT : each.slot);
    return steps_.result(slots);
  }

 private:
  bool owns(std::int32_t row) const {
    return row >= circuit_.move_start[static_cast<std::size_t>(role_)] &&
           row < circuit_.move_start[static_cast<std::size_t>(role_) + 1];
  }
  bool is_free(std::uint32_t slot) const {
    return circuit_.is_fluent(slot) && free_[static_cast<std::size_t>(circuit_.fluent_at(slot))] != 0;
  }

  // A fluent that holds costs the same for goals and moves.
  Demand demand_of(Literal literal, bool goal) const {
    const bool same = !is_complemented(literal) && circuit_.is_fluent(slot_of(literal));
    return goal && !same ? for_goal(literal) : for_move(literal);
  }

  // Whether a conjunction asks for a literal.
  bool asks_for(Literal literal, Literal other) const {
    if (literal == other) return true;
    const std::uint32_t slot = slot_of(literal);
    if (is_complemented(literal) || !circuit_.is_gate(slot)) return false;
    return std::ranges::find(circuit_.literals_at(slot), other) != circuit_.literals_at(slot).end();
  }

  // The alternatives that bring a literal of a fluent about by a move. One that asks for the literal itself is none.
  std::vector<Literal> ways_to(Literal literal) const {
    const auto fluent = static_cast<std::size_t>(circuit_.fluent_at(slot_of(literal)));
    const Literal next = negated_if(is_complemented(literal), circuit_.next[fluent]);
    std::vector<Literal> ways;
    if (is_complemented(next) && circuit_.is_gate(slot_of(next))) {
      for (const Literal each : circuit_.literals_at(slot_of(next))) ways.push_back(negated(each));
    } else {
      ways.push_back(next);
    }
    std::erase_if(ways, [&](Literal way) { return way == FALSE_LITERAL || asks_for(way, literal); });
    return ways;
  }

  std::vector<Demand> needs_of(Demand demand) const {
    const Literal literal = literal_in(demand);
    const std::uint32_t slot = slot_of(literal);
    std::vector<Demand> needs;
    const auto need = [&](Literal each, bool goal) { needs.push_back(demand_of(each, goal)); };
    if (circuit_.is_fluent(slot)) {
      const bool removed = is_complemented(literal) && !is_for_goal(demand);
      if (is_free(slot) || removed) return needs;
      for (const Literal each : ways_to(literal)) need(each, false);
    } else if (circuit_.is_set(slot)) {
      if (is_complemented(literal) || !owns(circuit_.rows_at(slot)[0])) return needs;
      for (const std::int32_t row : circuit_.rows_at(slot)) need(circuit_.legal[static_cast<std::size_t>(row)], false);
    } else if (circuit_.is_gate(slot)) {
      for (const Literal each : circuit_.literals_at(slot)) {
        need(negated_if(is_complemented(literal), each), is_for_goal(demand));
      }
    }
    return needs;
  }

  // Finds what the cost of a demand follows from, directly and by way of others.
  void find_needs(Demand root) {
    needs_.assign(4 * circuit_.n_slots(), {});
    std::vector<std::uint8_t> seen(needs_.size(), 0);
    std::vector<Demand> open{root};
    seen[root] = 1;
    while (!open.empty()) {
      const Demand demand = open.back();
      open.pop_back();
      needs_[demand] = needs_of(demand);
      for (const Demand each : needs_[demand]) {
        if (std::exchange(seen[each], 1) == 0) open.push_back(each);
      }
    }
  }

  void take(std::span<const Demand> component) {
    const std::vector<Demand>& first = needs_[component[0]];
    int level = 0;
    for (const Demand demand : component) {
      for (const Demand each : needs_[demand]) level = std::max(level, level_[each] + 1);
    }
    for (const Demand demand : component) level_[demand] = level;
    if (component.size() > 1 || std::ranges::find(first, component[0]) != first.end()) {
      take_loop(component);
    } else {
      known_[component[0]] = cost_of(component[0]);
    }
  }

  void take_loop(std::span<const Demand> component) {
    bool falls = false, rises = false;
    const std::map<Demand, Demand> same = copies_in(component);
    for (const Demand demand : component) {
      if (same.contains(demand)) continue;
      if (circuit_.is_fluent(slot_of(literal_in(demand)))) {
        known_[demand] = of_slot(steps_.new_slot(RelaxedCosts::MOST));
        falls = true;
      } else {
        const bool holds = begins_as_held(literal_in(demand));
        rises |= holds;
        known_[demand] = of_slot(steps_.new_slot(holds ? 0 : RelaxedCosts::MOST));
      }
    }
    for (const auto& [demand, original] : same) known_[demand] = known_[original];
    // Costs that begin at 0 and rise, and costs that begin high and fall, would have to settle one after the other.
    if (falls && rises) sound_ = false;
    ++loops_;
    for (const auto& [demand, distance] : distances_in(component)) {
      if (same.contains(demand)) continue;
      const CostStep kind = kind_of(demand);
      std::vector<std::int32_t> reads;
      for (const Demand each : needs_[demand]) {
        const Cost& cost = known_[each];
        if (!cost.is(kind == CostStep::Sum ? 0 : RelaxedCosts::MOST)) reads.push_back(slot_with(cost));
      }
      if (reads.empty() && kind != CostStep::Move) reads.push_back(slot_with(kind == CostStep::Sum ? NOTHING : NEVER));
      const bool stays = reads.empty();
      add_step(kind, demand, known_[demand].slot, reads, stays ? 0 : distance, stays ? 0 : loops_);
    }
  }

  // The gates and sets of a component whose cost is that of another one of its demands, which is none of them.
  std::map<Demand, Demand> copies_in(std::span<const Demand> component) const {
    std::map<Demand, Demand> found;
    for (const Demand demand : component) {
      if (circuit_.is_fluent(slot_of(literal_in(demand)))) continue;
      const std::uint8_t idle = kind_of(demand) == CostStep::Sum ? 0 : RelaxedCosts::MOST;
      std::vector<Demand> needs = needs_[demand];
      std::erase_if(needs, [&](Demand each) { return known_[each].is(idle) && level_[each] != level_[demand]; });
      if (needs.size() != 1 || level_[needs[0]] != level_[demand]) continue;
      const Demand original = needs[0];
      if (begins_as_held(literal_in(original)) == begins_as_held(literal_in(demand))) found[demand] = original;
    }
    const std::map<Demand, Demand> direct = found;
    for (auto& [demand, original] : found) {
      std::set<Demand> seen{demand};
      while (direct.contains(original) && seen.insert(original).second) original = direct.at(original);
    }
    std::erase_if(found,
                  [&](const auto& each) { return direct.contains(each.second); });  // copies go round in a circle
    return found;
  }

  // The demands of a component with their distances from the one that others after it ask for.
  std::vector<std::pair<Demand, int>> distances_in(std::span<const Demand> component) const {
    std::vector<std::pair<Demand, int>> found{{component.back(), 0}};
    std::map<Demand, bool> seen;
    for (const Demand demand : component) seen[demand] = false;
    seen[component.back()] = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto [demand, distance] = found[i];
      for (const Demand each : needs_[demand]) {
        const auto member = seen.find(each);
        if (member == seen.end() || std::exchange(member->second, true)) continue;
        found.emplace_back(each, distance + 1);
      }
    }
    return found;
  }

  // Whether a literal of a gate holds before the first round of the loop of the circuit that it belongs to.
  bool begins_as_held(Literal literal) const {
    const std::uint32_t slot = slot_of(literal);
    if (!circuit_.is_gate(slot)) return false;
    const std::size_t gate = slot - circuit_.first_gate_slot();
    return in_loop_[gate] != 0 && (circuit_.loop_initial[gate] != 0) != is_complemented(literal);
  }

  CostStep kind_of(Demand demand) const {
    const Literal literal = literal_in(demand);
    const std::uint32_t slot = slot_of(literal);
    if (circuit_.is_fluent(slot)) return CostStep::Move;
    return circuit_.is_set(slot) || is_complemented(literal) ? CostStep::Least : CostStep::Sum;
  }

  // The cost of a demand that follows from others before it.
  Cost cost_of(Demand demand) {
    const Literal literal = literal_in(demand);
    const std::uint32_t slot = slot_of(literal);
    if (slot == 0) return is_complemented(literal) ? NEVER : NOTHING;
    if (is_free(slot)) return NOTHING;
    if (circuit_.is_set(slot) && needs_[demand].empty()) return NOTHING;
    const CostStep kind = kind_of(demand);
    const std::uint8_t decides = kind == CostStep::Sum ? RelaxedCosts::MOST : 0;
    const std::uint8_t idle = kind == CostStep::Sum ? 0 : RelaxedCosts::MOST;
    std::vector<std::int32_t> reads;
    bool decided = false;
    for (const Demand each : needs_[demand]) {
      const Cost& cost = known_[each];
      decided |= cost.is(decides);
      if (!cost.is(idle) && !cost.is(decides)) reads.push_back(slot_with(cost));
    }
    std::ranges::sort(reads);
    if (kind != CostStep::Sum) reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
    if (kind == CostStep::Move) {
      const std::int32_t own = steps_.new_slot(CostSteps::WRITTEN);
      if (decided) reads = {slot_with(NOTHING)};
      add_step(kind, demand, own, reads, 0, 0);
      return of_slot(own);
    }
    if (decided) return {.number = decides};
    if (reads.empty()) return {.number = idle};
    if (reads.size() == 1) return of_slot(reads[0]);
    const std::int32_t own = steps_.new_slot(CostSteps::WRITTEN);
    add_step(kind, demand, own, reads, 0, 0);
    return of_slot(own);
  }

  static Cost of_slot(std::int32_t slot) { return {.constant = false, .slot = slot}; }
  std::int32_t slot_with(const Cost& cost) { return cost.constant ? steps_.new_slot(cost.number) : cost.slot; }
  void add_step(CostStep kind, Demand demand, std::int32_t slot, const std::vector<std::int32_t>& reads, int distance,
                int loop) {
    const Literal literal = literal_in(demand);
    Literal holds = TRUE_LITERAL;
    if (kind == CostStep::Move) {
      const auto fluent = static_cast<std::uint32_t>(circuit_.fluent_at(slot_of(literal)));
      holds = negated_if(is_complemented(literal), literal_of(fluent));
    }
    steps_.add({.kind = kind,
                .slot = slot,
                .literal = holds,
                .terms = {},
                .role = role_,
                .level = level_[demand],
                .distance = distance,
                .loop = loop},
               reads);
  }

  const Circuit& circuit_;
  std::vector<std::uint8_t> in_loop_;  // [gate]
  std::vector<std::uint8_t> free_;     // [fluent] whether it costs nothing
  std::int32_t role_ = 0;
  bool sound_ = true;
  std::vector<std::vector<Demand>> needs_;  // [demand] those that its cost follows from
  std::vector<Cost> known_;                 // [demand]
  std::vector<int> level_;                  // [demand] more than those of what its cost follows from, loops aside
  std::vector<Cost> roles_;
  CostSteps steps_;
  int loops_ = 0;
};

}  // namespace

RelaxedCosts goal_costs(const Circuit& circuit, const Turns& turns, std::span<const std::int32_t> roles) {
  CostCompiler compiler(circuit, turns);
  for (std::int32_t role = 0; role < circuit.n_roles; ++role) {
    Literal best = FALSE_LITERAL;
    std::int32_t value = -1;
    const bool wanted = role != circuit.chance_role && std::ranges::find(roles, role) != roles.end();
    for (std::size_t goal = 0; wanted && goal < circuit.goal_role.size(); ++goal) {
      if (circuit.goal_role[goal] != role || circuit.goal_value[goal] <= value) continue;
      value = circuit.goal_value[goal];
      best = circuit.goal_literal[goal];
    }
    compiler.take(role, best);
  }
  return compiler.result();
}

}  // namespace gdl
