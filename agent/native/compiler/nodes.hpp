// Nodes of a circuit under construction: conjunctions, complements and move sets, equal ones made once.
//
// The slots of literals are nodes. Node 0 is TRUE, nodes 1 .. n_fluents are the fluents; the rest are move sets and
// gates in order of creation, which is an order of evaluation except for the gates of loops. Every role makes exactly
// one move a step, so a formula over the moves of one role *is* a set of that role's moves: complement, intersection
// and union of such formulas fold into one set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "circuit/literal.hpp"

namespace gdl {

// The literals that a game asks about.
struct Roots {
  std::vector<Literal> legal;  // [row]
  Literal terminal = FALSE_LITERAL;
  std::vector<Literal> goals;
  std::vector<Literal> next;       // [fluent]
  std::vector<Literal> preferred;  // [kind of preference, row]

  // All of them, in the order in which a step needs them.
  std::vector<Literal> literals() const;
};

// The roots with `rename(literal)` in the place of every literal.
template <class Rename>
Roots renamed(Roots roots, const Rename& rename) {
  for (auto* literals : {&roots.legal, &roots.goals, &roots.next, &roots.preferred}) {
    for (Literal& literal : *literals) literal = rename(literal);
  }
  roots.terminal = rename(roots.terminal);
  return roots;
}

class Nodes {
 public:
  // Rows of role r are move_start[r] .. move_start[r + 1].
  Nodes(std::uint32_t n_fluents, std::vector<std::int32_t> move_start);

  std::uint32_t n_nodes() const { return static_cast<std::uint32_t>(kind_.size()); }
  std::uint32_t n_fluents() const { return n_fluents_; }
  const std::vector<std::int32_t>& move_start() const { return move_start_; }

  bool is_gate(std::uint32_t node) const { return kind_[node] == Kind::Gate || is_placeholder(node); }
  bool is_set(std::uint32_t node) const { return kind_[node] == Kind::Set; }
  bool is_placeholder(std::uint32_t node) const { return kind_[node] == Kind::Rising || kind_[node] == Kind::Falling; }
  // The value of a placeholder in the least element of its loop.
  bool starts_true(std::uint32_t node) const { return kind_[node] == Kind::Falling; }

  // The ascending literals of a gate; the gate is their AND.
  std::span<const Literal> gate(std::uint32_t node) const { return {literals_.data() + start_[node], size_[node]}; }
  // The ascending rows of a move set, all of one role.
  std::span<const std::int32_t> rows(std::uint32_t set) const { return {rows_.data() + start_[set], size_[set]}; }

  Literal fluent(std::uint32_t index) const { return literal_of(1 + index); }
  // The literal that holds where one of some rows (ascending, of one role) is chosen, or where none of them is.
  Literal move_set(std::span<const std::int32_t> rows, bool complement = false);
  Literal conjunction(std::span<const Literal> literals);
  Literal disjunction(std::span<const Literal> literals);
  // These do without the algebra of sets: the set has exactly these rows, and the gate may read several sets of a role.
  Literal plain_set(std::span<const std::int32_t> rows);
  Literal plain_conjunction(std::span<const Literal> literals);

  // Adds a gate of a loop, which is defined later.
  std::uint32_t add_placeholder(bool starts_true);
  void define(std::uint32_t placeholder, Literal literal);

  // Gives a gate other literals: at most as many as before, and with the same conjunction.
  void narrow(std::uint32_t gate, std::span<const Literal> literals);

  // The gates that roots need, in order of creation.
  std::vector<std::uint32_t> needed_gates(const Roots& roots) const;

 private:
  enum class Kind : std::uint8_t { Input, Set, Gate, Rising, Falling };

  // A hash table of nodes by content, with open addressing.
  struct Index {
    std::vector<std::uint32_t> nodes = std::vector<std::uint32_t>(1024, 0);  // 0: free
    std::size_t used = 0;
  };

  std::uint32_t add(Kind kind, std::size_t start, std::size_t size);
  Literal gate_of_plain();
  void append_intersection(std::vector<Literal>& sets, std::vector<Literal>& out);
  Literal intersection(std::span<const Literal> sets);
  std::size_t role_of(std::uint32_t set) const;
  template <class Element>
  std::uint32_t intern(Index& index, std::vector<Element>& arena, Kind kind, std::span<const Element> content);
  template <class Element>
  void grow(Index& index, const std::vector<Element>& arena);

  std::uint32_t n_fluents_;
  std::vector<std::int32_t> move_start_;
  std::vector<Kind> kind_;
  std::vector<std::size_t> start_;  // into literals_ or rows_
  std::vector<std::uint32_t> size_;
  std::vector<Literal> literals_;
  std::vector<std::int32_t> rows_;
  Index gate_index_;
  Index set_index_;
  std::vector<Literal> plain_;  // literals of the conjunction at hand
  std::vector<Literal> sets_;   // the ones among them that are sets
  std::vector<Literal> complemented_;
  std::vector<std::int32_t> wanted_;
  std::vector<std::int32_t> excluded_;
  std::vector<std::int32_t> others_;
};

}  // namespace gdl
