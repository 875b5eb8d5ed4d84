#include "program/turns.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "circuit/reachable.hpp"

namespace gdl {
namespace {

using Flags = std::vector<std::uint8_t>;

// Finds the fluents whose next values depend on each other alone.
class Autonomy {
 public:
  explicit Autonomy(const Circuit& circuit)
      : circuit_(circuit), free_(static_cast<std::size_t>(circuit.n_fluents), 1), slots_(circuit.n_slots()) {
    while (drop_dependent()) {
    }
  }

  // The fluents of the largest set that depends on nothing else.
  const Flags& free() const { return free_; }

  // The fluents on which a free fluent's next value depends.
  std::vector<std::int32_t> support(std::int32_t fluent) {
    const std::uint32_t root = slot_of(circuit_.next[fluent]);
    std::vector<std::int32_t> found;
    reachable(circuit_.n_slots(), {&root, 1}, [&](std::uint32_t slot, auto visit) {
      if (circuit_.is_fluent(slot)) found.push_back(circuit_.fluent_at(slot));
      if (!circuit_.is_gate(slot)) return;
      for (const Literal literal : circuit_.literals_at(slot)) visit(slot_of(literal));
    });
    return found;
  }

 private:
  // Drops free fluents whose next value depends on others. Gates inside loops count as dependent, because turns do not
  // go through them.
  bool drop_dependent() {
    std::fill(slots_.begin(), slots_.end(), 0);
    slots_[0] = 1;
    std::copy(free_.begin(), free_.end(), slots_.begin() + 1);
    for (std::size_t gate = 0; gate < circuit_.gates.size(); ++gate) {
      slots_[circuit_.gate_slot(gate)] =
          std::ranges::all_of(circuit_.gates[gate], [&](Literal literal) { return slots_[slot_of(literal)] != 0; });
    }
    bool dropped = false;
    for (std::size_t fluent = 0; fluent < free_.size(); ++fluent) {
      if (free_[fluent] == 0 || slots_[slot_of(circuit_.next[fluent])] != 0) continue;
      free_[fluent] = 0;
      dropped = true;
    }
    return dropped;
  }

  const Circuit& circuit_;
  Flags free_;
  Flags slots_;  // [slot] whether it depends on free fluents alone
};

// The free fluents in the first MAX_TURNS + 1 states of any play; the others are left false.
std::vector<Flags> follow(const Circuit& circuit, const Flags& free) {
  const auto n_fluents = static_cast<std::size_t>(circuit.n_fluents);
  std::vector<Flags> trace(1, Flags(n_fluents, 0));
  for (std::size_t f = 0; f < n_fluents; ++f) trace[0][f] = free[f] & circuit.initial[f];
  Flags values(circuit.n_slots(), 0);
  values[0] = 1;
  const auto holds = [&](Literal literal) { return values[slot_of(literal)] != (literal & 1u); };
  while (trace.size() <= MAX_TURNS) {
    std::copy(trace.back().begin(), trace.back().end(), values.begin() + 1);
    for (std::size_t gate = 0; gate < circuit.gates.size(); ++gate) {
      values[circuit.gate_slot(gate)] = std::ranges::all_of(circuit.gates[gate], holds);
    }
    Flags next(n_fluents, 0);
    for (std::size_t f = 0; f < n_fluents; ++f) next[f] = free[f] != 0 && holds(circuit.next[f]);
    trace.push_back(std::move(next));
  }
  return trace;
}

// The number of steps after which a set of fluents is again as in the beginning; 0 if they are more than MAX_TURNS.
int period(const std::vector<Flags>& trace, std::span<const std::int32_t> fluents) {
  for (int step = 1; step <= MAX_TURNS; ++step) {
    const auto same = [&](std::int32_t f) {
      return trace[static_cast<std::size_t>(step)][static_cast<std::size_t>(f)] ==
             trace[0][static_cast<std::size_t>(f)];
    };
    if (std::ranges::all_of(fluents, same)) return step;
  }
  return 0;
}

}  // namespace

std::vector<std::uint8_t> autonomous_fluents(const Circuit& circuit) { return Autonomy(circuit).free(); }

Turns find_turns(const Circuit& circuit) {
  Autonomy autonomy(circuit);
  const std::vector<Flags> trace = follow(circuit, autonomy.free());
  const auto n_fluents = static_cast<std::size_t>(circuit.n_fluents);
  std::vector<std::vector<std::int32_t>> support(n_fluents);
  for (std::size_t f = 0; f < n_fluents; ++f) {
    if (autonomy.free()[f] != 0) support[f] = autonomy.support(static_cast<std::int32_t>(f));
  }
  Flags taken(n_fluents, 0);
  int cycle = 1;
  for (std::size_t f = 0; f < n_fluents; ++f) {
    if (autonomy.free()[f] == 0 || taken[f] != 0) continue;
    std::vector<std::int32_t> closed{static_cast<std::int32_t>(f)};  // f and all fluents that it depends on
    Flags seen(n_fluents, 0);
    seen[f] = 1;
    for (std::size_t i = 0; i < closed.size(); ++i) {
      for (const std::int32_t other : support[static_cast<std::size_t>(closed[i])]) {
        if (std::exchange(seen[static_cast<std::size_t>(other)], std::uint8_t{1}) == 0) closed.push_back(other);
      }
    }
    const int own = period(trace, closed);
    if (own == 0 || std::lcm(own, cycle) > MAX_TURNS) continue;
    cycle = std::lcm(own, cycle);
    for (const std::int32_t each : closed) taken[static_cast<std::size_t>(each)] = 1;
  }
  Turns turns;
  for (std::size_t f = 0; f < n_fluents; ++f) {
    if (taken[f] != 0) turns.fluents.push_back(static_cast<std::int32_t>(f));
  }
  for (int turn = 0; turn < cycle; ++turn) {
    turns.values.emplace_back();
    for (const std::int32_t f : turns.fluents) {
      turns.values.back().push_back(trace[static_cast<std::size_t>(turn)][static_cast<std::size_t>(f)]);
    }
  }
  return turns;
}

std::optional<int> Turns::of(const std::uint64_t* state) const {
  for (int turn = 0; turn < count(); ++turn) {
    const auto& expected = values[static_cast<std::size_t>(turn)];
    bool same = true;
    for (std::size_t i = 0; same && i < fluents.size(); ++i) {
      const auto fluent = static_cast<std::size_t>(fluents[i]);
      same = ((state[fluent / 64] >> (fluent % 64)) & 1u) == expected[i];
    }
    if (same) return turn;
  }
  return std::nullopt;
}

}  // namespace gdl
