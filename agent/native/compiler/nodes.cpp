#include "compiler/nodes.hpp"

#include <algorithm>
#include <utility>

#include "circuit/circuit.hpp"
#include "circuit/reachable.hpp"

namespace gdl {

namespace {

template <class Element>
std::uint64_t content_hash(std::span<const Element> content) {
  std::uint64_t hash = content.size();
  for (const Element value : content) {
    hash = (hash ^ static_cast<std::uint32_t>(value)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

template <class Value>
void sort_unique(std::vector<Value>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

std::vector<Literal> Roots::literals() const {
  std::vector<Literal> all(legal);
  all.push_back(terminal);
  all.insert(all.end(), goals.begin(), goals.end());
  all.insert(all.end(), next.begin(), next.end());
  all.insert(all.end(), preferred.begin(), preferred.end());
  return all;
}

Nodes::Nodes(std::uint32_t n_fluents, std::vector<std::int32_t> move_start)
    : n_fluents_(n_fluents), move_start_(std::move(move_start)) {
  for (std::uint32_t node = 0; node <= n_fluents; ++node) add(Kind::Input, 0, 0);
}

std::uint32_t Nodes::add(Kind kind, std::size_t start, std::size_t size) {
  kind_.push_back(kind);
  start_.push_back(start);
  size_.push_back(static_cast<std::uint32_t>(size));
  return n_nodes() - 1;
}

template <class Element>
void Nodes::grow(Index& index, const std::vector<Element>& arena) {
  std::vector<std::uint32_t> old(2 * index.nodes.size(), 0);
  old.swap(index.nodes);
  const std::size_t mask = index.nodes.size() - 1;
  for (const std::uint32_t node : old) {
    if (node == 0) continue;
    std::size_t place = content_hash(std::span(arena.data() + start_[node], size_[node])) & mask;
    while (index.nodes[place] != 0) place = (place + 1) & mask;
    index.nodes[place] = node;
  }
}

template <class Element>
std::uint32_t Nodes::intern(Index& index, std::vector<Element>& arena, Kind kind, std::span<const Element> content) {
  if (2 * (index.used + 1) > index.nodes.size()) grow(index, arena);
  const std::size_t mask = index.nodes.size() - 1;
  std::size_t place = content_hash(content) & mask;
  for (; index.nodes[place] != 0; place = (place + 1) & mask) {
    const std::uint32_t node = index.nodes[place];
    const std::span<const Element> known(arena.data() + start_[node], size_[node]);
    if (std::equal(known.begin(), known.end(), content.begin(), content.end())) return node;
  }
  const std::uint32_t node = add(kind, arena.size(), content.size());
  arena.insert(arena.end(), content.begin(), content.end());
  index.nodes[place] = node;
  ++index.used;
  return node;
}

std::size_t Nodes::role_of(std::uint32_t set) const { return role_of_row(move_start_, rows(set).front()); }

// A node stands for the smaller one of a set and its complement. If both are equally large, it stands for the one that
// has the role's first row.
Literal Nodes::move_set(std::span<const std::int32_t> rows, bool complement) {
  if (rows.empty()) return negated_if(complement, FALSE_LITERAL);
  const std::size_t role = role_of_row(move_start_, rows.front());
  const std::int32_t first = move_start_[role];
  const std::int32_t last = move_start_[role + 1];
  const auto everything = static_cast<std::size_t>(last - first);
  if (rows.size() == everything) return negated_if(complement, TRUE_LITERAL);
  if (2 * rows.size() > everything || (2 * rows.size() == everything && rows.front() != first)) {
    others_.clear();
    auto next = rows.begin();
    for (std::int32_t row = first; row < last; ++row) {
      if (next != rows.end() && *next == row) {
        ++next;
      } else {
        others_.push_back(row);
      }
    }
    rows = others_;
    complement = !complement;
  }
  return negated_if(complement, plain_set(rows));
}

Literal Nodes::plain_set(std::span<const std::int32_t> rows) {
  return rows.empty() ? FALSE_LITERAL : literal_of(intern(set_index_, rows_, Kind::Set, rows));
}

Literal Nodes::conjunction(std::span<const Literal> literals) {
  plain_.clear();
  sets_.clear();
  for (const Literal literal : literals) {
    if (literal == FALSE_LITERAL) return FALSE_LITERAL;
    (is_set(slot_of(literal)) ? sets_ : plain_).push_back(literal);
  }
  append_intersection(sets_, plain_);
  return gate_of_plain();
}

Literal Nodes::disjunction(std::span<const Literal> literals) {
  complemented_.assign(literals.begin(), literals.end());
  for (Literal& literal : complemented_) literal = negated(literal);
  return negated(conjunction(complemented_));
}

Literal Nodes::plain_conjunction(std::span<const Literal> literals) {
  plain_.assign(literals.begin(), literals.end());
  return gate_of_plain();
}

// Sorting brings the constants to the front and a literal next to its complement.
Literal Nodes::gate_of_plain() {
  sort_unique(plain_);
  const auto opposite = [](Literal one, Literal other) { return one == negated(other); };
  if (std::ranges::adjacent_find(plain_, opposite) != plain_.end()) return FALSE_LITERAL;
  const std::span<const Literal> literals = std::span(plain_).subspan(!plain_.empty() && plain_[0] == TRUE_LITERAL);
  if (literals.empty()) return TRUE_LITERAL;
  if (literals.size() == 1 || literals.front() == FALSE_LITERAL) return literals.front();
  return literal_of(intern(gate_index_, literals_, Kind::Gate, literals));
}

// Appends one set for each role, or nothing for a role whose moves are all meant.
void Nodes::append_intersection(std::vector<Literal>& sets, std::vector<Literal>& out) {
  if (sets.size() > 1) {
    std::sort(sets.begin(), sets.end(), [this](Literal one, Literal other) {
      return std::pair(role_of(slot_of(one)), one) < std::pair(role_of(slot_of(other)), other);
    });
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  }
  for (std::size_t first = 0, last = 0; first < sets.size(); first = last) {
    while (last < sets.size() && role_of(slot_of(sets[last])) == role_of(slot_of(sets[first]))) ++last;
    const Literal literal =
        last - first == 1 ? sets[first] : intersection(std::span(sets).subspan(first, last - first));
    if (literal != TRUE_LITERAL) out.push_back(literal);
  }
}

Literal Nodes::intersection(std::span<const Literal> sets) {
  wanted_.clear();
  excluded_.clear();
  std::ptrdiff_t n_wanted = 0;
  for (const Literal literal : sets) {
    const auto some = rows(slot_of(literal));
    n_wanted += !is_complemented(literal);
    auto& target = is_complemented(literal) ? excluded_ : wanted_;
    target.insert(target.end(), some.begin(), some.end());
  }
  sort_unique(excluded_);
  if (n_wanted == 0) return move_set(excluded_, true);
  std::sort(wanted_.begin(), wanted_.end());
  std::size_t kept = 0;
  for (auto row = wanted_.begin(); row != wanted_.end();) {
    const std::int32_t value = *row;
    const auto next = std::upper_bound(row, wanted_.end(), value);
    if (next - row == n_wanted && !std::binary_search(excluded_.begin(), excluded_.end(), value)) {
      wanted_[kept++] = value;
    }
    row = next;
  }
  return move_set(std::span<const std::int32_t>(wanted_).first(kept));
}

std::uint32_t Nodes::add_placeholder(bool starts_true) {
  return add(starts_true ? Kind::Falling : Kind::Rising, literals_.size(), 0);
}

void Nodes::define(std::uint32_t placeholder, Literal literal) {
  const std::uint32_t node = slot_of(literal);
  std::vector<Literal> content{literal};
  if (!is_complemented(literal) && is_gate(node) && size_[node] > 0) {
    content.assign(gate(node).begin(), gate(node).end());
  }
  start_[placeholder] = literals_.size();
  size_[placeholder] = static_cast<std::uint32_t>(content.size());
  literals_.insert(literals_.end(), content.begin(), content.end());
}

void Nodes::narrow(std::uint32_t gate, std::span<const Literal> literals) {
  std::copy(literals.begin(), literals.end(), literals_.begin() + static_cast<std::ptrdiff_t>(start_[gate]));
  size_[gate] = static_cast<std::uint32_t>(literals.size());
}

std::vector<std::uint32_t> Nodes::needed_gates(const Roots& roots) const {
  std::vector<std::uint32_t> asked;
  for (const Literal literal : roots.literals()) asked.push_back(slot_of(literal));
  const auto needed = reachable(n_nodes(), asked, [this](std::uint32_t node, auto visit) {
    if (!is_gate(node)) return;
    for (const Literal literal : gate(node)) visit(slot_of(literal));
  });
  std::vector<std::uint32_t> gates;
  for (std::uint32_t node = 0; node < n_nodes(); ++node) {
    if (needed[node] != 0 && is_gate(node)) gates.push_back(node);
  }
  return gates;
}

}  // namespace gdl
