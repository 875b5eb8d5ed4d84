#include "program/assumptions.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace gdl {

namespace {

constexpr std::size_t LARGEST_CONJUNCTION = 512;  // gates that would make a larger one are not inlined
constexpr std::size_t WIDE = 12;                  // conjunctions of more literals are cut into parts
constexpr std::size_t SMALLEST_CUT = 4;
constexpr int BITS_OF_LEVEL = 2;
constexpr int LEVELS = 6;
constexpr std::size_t MOST_LITERALS_TRIED = 8;  // larger conjunctions are not searched for impossible alternatives
constexpr std::size_t MOST_ALTERNATIVES_TRIED = 8;

}  // namespace

void Assumptions::mark(Literal literal) {
  if (literal >= known_.size()) known_.resize(2 * (std::size_t{literal} + 1), 0);
  known_[literal] = 1;
  trail_.push_back(literal);
}

void Assumptions::assume(Literal literal) {
  std::vector<Literal> open{literal};
  while (!open.empty()) {
    const Literal known = open.back();
    open.pop_back();
    if (holds(known)) continue;
    mark(known);
    const std::uint32_t node = slot_of(known);
    if (!nodes_.is_gate(node)) {
      if (!is_complemented(known) && node != 0) append_excluded(node, open);
      continue;
    }
    if (!is_complemented(known)) {
      const auto gate = nodes_.gate(node);
      open.insert(open.end(), gate.begin(), gate.end());
      continue;
    }
    append_shared_by_alternatives(node, open);
    // conjunction() inlines gates, so that it makes the inlined form of this one, too.
    std::vector<Literal> flat;
    inline_into(negated(known), flat);
    std::ranges::sort(flat);
    const Literal inlined = negated(flat.size() > WIDE ? wide_conjunction(flat, LEVELS) : nodes_.conjunction(flat));
    if (!holds(inlined)) mark(inlined);
  }
}

void Assumptions::append_excluded(std::uint32_t node, std::vector<Literal>& out) const {
  for (std::uint32_t other = 0; other < nodes_.n_fluents(); ++other) {
    if (exclusion_.exclusive(static_cast<std::int32_t>(node) - 1, static_cast<std::int32_t>(other))) {
      out.push_back(negated(nodes_.fluent(other)));
    }
  }
}

void Assumptions::return_to(Moment moment) {
  for (; trail_.size() > moment.literals; trail_.pop_back()) known_[trail_.back()] = 0;
  excluded_.resize(moment.exclusions);
}

// Appends the literals of a conjunction, with gates inlined, except those that are known. Returns false for a literal
// that is known not to hold.
bool Assumptions::flatten(Literal literal, std::vector<Literal>& out) const {
  if (literal == TRUE_LITERAL || holds(literal)) return true;
  if (literal == FALSE_LITERAL || holds(negated(literal))) return false;
  const std::uint32_t node = slot_of(literal);
  if (is_complemented(literal) || !nodes_.is_gate(node) ||
      out.size() + nodes_.gate(node).size() > LARGEST_CONJUNCTION) {
    out.push_back(literal);
    return true;
  }
  return std::ranges::all_of(nodes_.gate(node), [&](Literal inner) { return flatten(inner, out); });
}

// If one of several alternatives holds, then so do the literals that all the possible ones among them require.
void Assumptions::append_shared_by_alternatives(std::uint32_t node, std::vector<Literal>& out) const {
  const auto gate = nodes_.gate(node);
  if (gate.size() > MOST_ALTERNATIVES_TRIED) return;
  std::optional<std::vector<Literal>> shared;
  for (const Literal complement : gate) {
    std::vector<Literal> parts;
    if (!flatten(negated(complement), parts)) continue;
    std::ranges::sort(parts);
    if (!shared) {
      shared = std::move(parts);
      continue;
    }
    std::vector<Literal> both;
    std::ranges::set_intersection(*shared, parts, std::back_inserter(both));
    shared = std::move(both);
  }
  if (shared) out.insert(out.end(), shared->begin(), shared->end());
}

// Appends the literals of a conjunction, with gates inlined.
void Assumptions::inline_into(Literal literal, std::vector<Literal>& out) const {
  const std::uint32_t node = slot_of(literal);
  if (literal == TRUE_LITERAL) return;
  if (is_complemented(literal) || !nodes_.is_gate(node) ||
      out.size() + nodes_.gate(node).size() > LARGEST_CONJUNCTION) {
    out.push_back(literal);
    return;
  }
  for (const Literal inner : nodes_.gate(node)) inline_into(inner, out);
}

bool Assumptions::contradicts(Literal literal) const {
  std::vector<Literal> parts;
  if (!flatten(literal, parts)) return true;
  return std::ranges::any_of(parts, [this](Literal part) {
    const std::uint32_t node = slot_of(part);
    if (!is_complemented(part) || !nodes_.is_gate(node) || nodes_.gate(node).size() > MOST_ALTERNATIVES_TRIED) {
      return false;
    }
    return std::ranges::all_of(nodes_.gate(node), [this](Literal inner) {
      std::vector<Literal> alternative;
      return !flatten(negated(inner), alternative);
    });
  });
}

bool Assumptions::is_impossible(std::span<const Literal> sorted) const {
  return std::ranges::any_of(excluded_, [&](const auto& excluded) { return std::ranges::includes(sorted, excluded); });
}

// Leaves out the alternatives within a conjunction that contradict its other literals.
void Assumptions::drop_impossible_alternatives() {
  if (flat_.size() > MOST_LITERALS_TRIED) return;
  for (std::size_t place = 0; place < flat_.size(); ++place) {
    const Literal literal = flat_[place];
    const std::uint32_t node = slot_of(literal);
    if (!is_complemented(literal) || !nodes_.is_gate(node)) continue;
    const auto gate = nodes_.gate(node);
    if (gate.size() > MOST_ALTERNATIVES_TRIED) continue;
    const std::vector<Literal> complements(gate.begin(), gate.end());
    std::vector<Literal> possible;
    for (const Literal complement : complements) {
      work_ += 4 + flat_.size();
      trial_.assign(flat_.begin(), flat_.end());
      trial_.erase(trial_.begin() + static_cast<std::ptrdiff_t>(place));
      if (!flatten(negated(complement), trial_) || holds(negated(nodes_.conjunction(trial_)))) continue;
      possible.push_back(complement);
    }
    if (possible.size() == complements.size()) continue;
    flat_.erase(flat_.begin() + static_cast<std::ptrdiff_t>(place));
    if (!flatten(negated(nodes_.conjunction(possible)), flat_)) flat_.assign(1, FALSE_LITERAL);
    place = static_cast<std::size_t>(-1);  // the literal is gone, so this ends
  }
}

// Wide conjunctions often differ in a few literals only. They are cut into parts at places that depend on the literals
// alone, and the parts again, so that they have most parts in common.
Literal Assumptions::wide_conjunction(std::span<const Literal> sorted, int level) {
  if (level == 0 || sorted.size() <= SMALLEST_CUT) return nodes_.conjunction(sorted);
  std::vector<Literal> parts;
  const std::uint64_t mask = (std::uint64_t{1} << (BITS_OF_LEVEL * level)) - 1;
  for (std::size_t first = 0, place = 0; place < sorted.size(); ++place) {
    const bool is_cut = ((sorted[place] * 0x9E3779B97F4A7C15u >> 20) & mask) == 0;
    if (!is_cut && place + 1 < sorted.size()) continue;
    parts.push_back(wide_conjunction(sorted.subspan(first, place + 1 - first), level - 1));
    first = place + 1;
  }
  return parts.size() == 1 ? parts[0] : nodes_.conjunction(parts);
}

Literal Assumptions::conjunction(std::span<const Literal> literals) {
  flat_.clear();
  for (const Literal literal : literals) {
    if (!flatten(literal, flat_)) return FALSE_LITERAL;
  }
  if (flat_.size() > WIDE) {  // what is known is asked for all the same, so that more conjunctions are alike
    flat_.clear();
    for (const Literal literal : literals) inline_into(literal, flat_);
  }
  work_ += 4 + flat_.size();
  std::ranges::sort(flat_);
  const auto [rest, end] = std::ranges::unique(flat_);
  flat_.erase(rest, end);
  drop_impossible_alternatives();
  std::ranges::sort(flat_);
  if (is_impossible(flat_)) return FALSE_LITERAL;
  const Literal result = flat_.size() > WIDE ? wide_conjunction(flat_, LEVELS) : nodes_.conjunction(flat_);
  return holds(result) ? TRUE_LITERAL : holds(negated(result)) ? FALSE_LITERAL : result;
}

Literal Assumptions::disjunction(std::span<const Literal> literals) {
  std::vector<Literal> complements(literals.begin(), literals.end());
  for (Literal& literal : complements) literal = negated(literal);
  return negated(conjunction(complements));
}

}  // namespace gdl
