#include "program/refuter.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gdl {

namespace {

constexpr int DEPTH = 5;                   // of splits within splits
constexpr int MOST_SPLITS = 100;           // splits for one question
constexpr int MOST_ROWS = 256;             // rows of a role that are compared for what they have in common
constexpr std::size_t MOST_REQUIRED = 64;  // literals of fluents that are noted for a gate

// The literals of fluents that a literal requires, as far as gates outside loops say so. An AND requires what any of
// its parts requires, an OR what all its alternatives require.
class Requirements {
 public:
  explicit Requirements(const Circuit& circuit)
      : circuit_(circuit), in_loop_(circuit.gates_in_loops()), known_(2 * circuit.gates.size()) {}

  // Call it for the gates in order, so that the requirements of the gates that one reads are known.
  void add_gate(std::size_t gate) {
    if (in_loop_[gate] != 0) return;
    std::vector<Literal>&all = known_[2 * gate], &any = known_[2 * gate + 1];
    bool is_first = true;
    for (const Literal literal : circuit_.gates[gate]) {
      unite(all, of(literal));
      if (is_first) {
        any = of(negated(literal));
      } else if (!any.empty()) {
        intersect(any, of(negated(literal)));
      }
      is_first = false;
    }
  }

  std::vector<Literal> of(Literal literal) const {
    const std::uint32_t slot = slot_of(literal);
    if (circuit_.is_fluent(slot)) return {literal};
    if (!circuit_.is_gate(slot)) return {};
    return known_[literal - literal_of(circuit_.first_gate_slot())];
  }

 private:
  void unite(std::vector<Literal>& some, const std::vector<Literal>& others) {
    if (some.size() + others.size() > MOST_REQUIRED) return;
    both_.clear();
    std::ranges::set_union(some, others, std::back_inserter(both_));
    some.swap(both_);
  }
  void intersect(std::vector<Literal>& some, const std::vector<Literal>& others) {
    both_.clear();
    std::ranges::set_intersection(some, others, std::back_inserter(both_));
    some.swap(both_);
  }

  const Circuit& circuit_;
  const std::vector<std::uint8_t> in_loop_;
  std::vector<std::vector<Literal>> known_;  // [2 * gate + complement] ascending
  std::vector<Literal> both_;
};

}  // namespace

std::vector<std::vector<Literal>> required_literals(const Circuit& circuit) {
  Requirements requirements(circuit);
  for (std::size_t gate = 0; gate < circuit.n_state_gates; ++gate) requirements.add_gate(gate);
  std::vector<std::vector<Literal>> required;
  for (const Literal literal : circuit.legal) required.push_back(requirements.of(literal));
  return required;
}

Refuter::Refuter(const Circuit& circuit, Exclusive exclusive)
    : circuit_(circuit),
      exclusive_(std::move(exclusive)),
      in_loop_(circuit.gates_in_loops()),
      required_(required_literals(circuit)),
      values_(circuit.n_slots(), Truth::Unknown),
      allowed_rows_{std::vector<std::uint64_t>((circuit.legal.size() + 63) / 64, ~std::uint64_t{0}),
                    std::vector<std::int32_t>(static_cast<std::size_t>(circuit.n_roles), ALL)} {}

Refuter::Truth Refuter::value(Literal literal) const {
  const std::uint32_t slot = slot_of(literal);
  Truth value = slot == 0 ? Truth::True : values_[slot];
  if (value == Truth::Unknown && circuit_.is_set(slot)) value = value_of_set(slot);
  if (value == Truth::Unknown || !is_complemented(literal)) return value;
  return value == Truth::True ? Truth::False : Truth::True;
}

std::size_t Refuter::role_of_set(std::uint32_t slot) const {
  return role_of_row(circuit_.move_start, circuit_.rows_at(slot).front());
}

// The value that follows from the rows that may still be chosen.
Refuter::Truth Refuter::value_of_set(std::uint32_t slot) const {
  const std::int32_t all = allowed_rows_.count[role_of_set(slot)];
  if (all == ALL) return Truth::Unknown;
  const auto inside = std::ranges::count_if(circuit_.rows_at(slot), [this](std::int32_t row) { return allows(row); });
  return inside == 0 ? Truth::False : inside == all ? Truth::True : Truth::Unknown;
}

bool Refuter::refutes(Literal one, Literal other) {
  const Mark before = mark();
  const AllowedRows free = allowed_rows_;
  splits_left_ = MOST_SPLITS;
  const bool refuted = !assume(one) || !assume(other) || contradictory(DEPTH);
  undo(before);
  allowed_rows_ = free;
  return refuted;
}

void Refuter::undo(const Mark& mark) {
  for (std::size_t i = mark.assigned; i < assigned_.size(); ++i) values_[assigned_[i]] = Truth::Unknown;
  assigned_.resize(mark.assigned);
  held_.resize(mark.held);
  open_.resize(mark.open);
}

// Assumes a literal. Returns false if it contradicts what is known.
bool Refuter::assume(Literal literal) {
  queue_.assign(1, literal);
  while (!queue_.empty()) {
    const Literal next = queue_.back();
    queue_.pop_back();
    if (!assume_now(next)) return false;
  }
  return true;
}

bool Refuter::assume_now(Literal literal) {
  ++work_;
  const std::uint32_t slot = slot_of(literal);
  const bool holds = !is_complemented(literal);
  if (const Truth known = value(literal); known != Truth::Unknown) return known == Truth::True;
  values_[slot] = holds ? Truth::True : Truth::False;
  assigned_.push_back(slot);
  if (circuit_.is_fluent(slot)) {
    if (!holds) return true;
    const std::int32_t fluent = circuit_.fluent_at(slot);
    if (std::ranges::any_of(held_, [&](std::int32_t other) { return exclusive_(fluent, other); })) return false;
    held_.push_back(fluent);
  } else if (circuit_.is_set(slot)) {
    return narrow(slot, holds);
  } else if (in_loop_[slot - circuit_.first_gate_slot()] != 0) {
    return true;
  } else if (holds) {
    const auto literals = circuit_.literals_at(slot);
    queue_.insert(queue_.end(), literals.begin(), literals.end());
  } else {
    open_.push_back(slot);
  }
  return true;
}

// Lets the role of a set choose only rows inside the set, or only rows outside of it. Returns false if that leaves
// none.
bool Refuter::narrow(std::uint32_t set, bool inside) {
  const auto rows = circuit_.rows_at(set);
  work_ += rows.size();
  const std::size_t role = role_of_set(set);
  std::int32_t left = 0;
  auto next = rows.begin();
  for (std::int32_t row = circuit_.move_start[role]; row < circuit_.move_start[role + 1]; ++row) {
    const bool member = next != rows.end() && *next == row;
    if (member) ++next;
    if (member != inside)
      allowed_rows_.allowed[static_cast<std::size_t>(row / 64)] &= ~(std::uint64_t{1} << (row % 64));
    left += allows(row);
  }
  allowed_rows_.count[role] = left;
  return left != 0;
}

// Assumes everything that leaves no choice. Returns false if something contradicts the rest.
bool Refuter::propagate() {
  for (bool changed = true; changed;) {
    changed = false;
    if (!propagate_gates(changed)) return false;
    for (std::size_t role = 0; role < allowed_rows_.count.size() && !changed; ++role) {
      if (allowed_rows_.count[role] != ALL && !propagate_rows(role, changed)) return false;
    }
  }
  return true;
}

// Takes open gates with a single literal that may be false.
bool Refuter::propagate_gates(bool& changed) {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    Literal last = 0;
    int unknown = 0;
    bool settled = false;
    for (const Literal literal : circuit_.literals_at(open_[i])) {
      ++work_;
      const Truth known = value(literal);
      settled = settled || known == Truth::False;
      if (known == Truth::Unknown) ++unknown, last = literal;
    }
    if (settled || unknown > 1) continue;
    if (unknown == 0 || !assume(negated(last))) return false;
    changed = true;
  }
  return true;
}

// Assumes the literals that all rows require that a role may choose.
bool Refuter::propagate_rows(std::size_t role, bool& changed) {
  bool possible = false;
  int seen = 0;
  std::vector<Literal> common, both;
  for (std::int32_t row = circuit_.move_start[role]; row < circuit_.move_start[role + 1]; ++row) {
    if (!allows(row) || impossible(row)) continue;
    if (++seen > MOST_ROWS) return true;
    const auto& required = required_[row];
    work_ += required.size();
    if (!possible) {
      common = required;
    } else {
      both.clear();
      std::ranges::set_intersection(common, required, std::back_inserter(both));
      common.swap(both);
    }
    possible = true;
    if (common.empty()) return true;
  }
  if (!possible) return false;
  for (const Literal literal : common) {
    if (value(literal) == Truth::True) continue;
    if (!assume(literal)) return false;
    changed = true;
  }
  return true;
}

bool Refuter::contradictory(int depth) {
  if (!propagate()) return true;
  std::uint32_t chosen = 0;
  std::size_t fewest = ~std::size_t{0};
  for (const std::uint32_t slot : open_) {
    const auto literals = circuit_.literals_at(slot);
    const auto known = [&](Truth wanted) {
      return std::ranges::count_if(literals, [&](Literal literal) { return value(literal) == wanted; });
    };
    if (known(Truth::False) > 0) continue;
    if (const auto options = static_cast<std::size_t>(known(Truth::Unknown)); options < fewest) {
      fewest = options;
      chosen = slot;
    }
  }
  if (chosen == 0 || depth == 0 || splits_left_-- <= 0) return false;
  for (const Literal literal : circuit_.literals_at(chosen)) {
    if (value(literal) != Truth::Unknown) continue;
    const Mark before = mark();
    const AllowedRows choice = allowed_rows_;
    const bool refuted = !assume(negated(literal)) || contradictory(depth - 1);
    undo(before);
    allowed_rows_ = choice;
    if (!refuted) return false;
  }
  return true;
}

// Whether a row is illegal in all states that fit the assumptions.
bool Refuter::impossible(std::int32_t row) const {
  return std::ranges::any_of(required_[row], [&](Literal literal) {
    if (value(literal) != Truth::Unknown || is_complemented(literal)) return value(literal) == Truth::False;
    const std::int32_t fluent = circuit_.fluent_at(slot_of(literal));
    return std::ranges::any_of(held_, [&](std::int32_t other) { return exclusive_(fluent, other); });
  });
}

}  // namespace gdl
