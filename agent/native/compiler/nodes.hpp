// Nodes of a circuit under construction: hash-consed conjunctions, complements and move sets.
//
// A literal is 2 * node + complement. Node 0 is TRUE, nodes 1 .. n_fluents are the fluents; the rest are move sets and
// gates in order of creation, which is an order of evaluation but for the gates of loops. Every role makes exactly one
// move a step, so a formula over the moves of one role *is* a set of that role's moves: complement, intersection and
// union of such formulas fold into one set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"

namespace gdl {

inline constexpr Literal TRUE_LITERAL = 0;
inline constexpr Literal FALSE_LITERAL = 1;

// The literals a game asks about.
struct Roots {
  std::vector<Literal> legal;  // [row]
  Literal terminal = FALSE_LITERAL;
  std::vector<Literal> goals;
  std::vector<Literal> next;  // [fluent]

  // All of them, in the order in which a step needs them.
  std::vector<Literal> literals() const;
};

class Nodes {
 public:
  // Rows of role r are move_start[r] .. move_start[r + 1].
  Nodes(std::uint32_t n_fluents, std::vector<std::int32_t> move_start);

  std::uint32_t n_nodes() const { return static_cast<std::uint32_t>(kind_.size()); }
  std::uint32_t n_fluents() const { return n_fluents_; }
  const std::vector<std::int32_t>& move_start() const { return move_start_; }

  bool is_gate(std::uint32_t node) const { return kind_[node] == Kind::GATE || is_placeholder(node); }
  bool is_set(std::uint32_t node) const { return kind_[node] == Kind::SET; }
  bool is_placeholder(std::uint32_t node) const { return kind_[node] == Kind::RISING || kind_[node] == Kind::FALLING; }
  // The value of a placeholder in the least element of its loop.
  bool starts_true(std::uint32_t node) const { return kind_[node] == Kind::FALLING; }

  // The ascending literals of a gate; the gate is their AND.
  std::span<const Literal> gate(std::uint32_t node) const { return {literals_.data() + start_[node], size_[node]}; }
  // The ascending rows of a move set, all of one role.
  std::span<const std::int32_t> rows(std::uint32_t set) const { return {rows_.data() + start_[set], size_[set]}; }

  Literal fluent(std::uint32_t index) const { return 2 * (1 + index); }
  // The literal of ascending rows of one role, or of the role's other rows.
  Literal move_set(std::size_t role, std::span<const std::int32_t> rows, bool complement);
  Literal conjunction(std::span<const Literal> literals);
  Literal disjunction(std::span<const Literal> literals);

  // A gate of a loop, to be defined later.
  std::uint32_t add_placeholder(bool starts_true);
  void define(std::uint32_t placeholder, Literal literal);

  // Makes a gate ask for other literals, at most as many as before and equivalent to them.
  void narrow(std::uint32_t gate, std::span<const Literal> literals);

  // The gates that roots need, in order of creation.
  std::vector<std::uint32_t> needed_gates(const Roots& roots) const;

 private:
  enum class Kind : std::uint8_t { INPUT, SET, GATE, RISING, FALLING };

  // Open addressing by content.
  struct Index {
    std::vector<std::uint32_t> nodes = std::vector<std::uint32_t>(1024, 0);  // 0: free
    std::size_t used = 0;
  };

  std::uint32_t add(Kind kind, std::size_t start, std::size_t size);
  Literal gate_of(std::span<const Literal> literals);
  void append_intersection(std::vector<Literal>& sets, std::vector<Literal>& out);
  Literal intersection(std::span<const Literal> sets);
  std::size_t role_of(std::uint32_t set) const;
  template <class T>
  std::uint32_t intern(Index& index, std::vector<T>& arena, Kind kind, std::span<const T> content);
  template <class T>
  void grow(Index& index, const std::vector<T>& arena);

  std::uint32_t n_fluents_;
  std::vector<std::int32_t> move_start_;
  std::vector<Kind> kind_;
  std::vector<std::size_t> start_;  // into literals_ or rows_
  std::vector<std::uint32_t> size_;
  std::vector<Literal> literals_;
  std::vector<std::int32_t> rows_;
  Index gate_index_;
  Index set_index_;
  std::vector<Literal> plain_;
  std::vector<Literal> sets_;
  std::vector<Literal> complemented_;
  std::vector<std::int32_t> wanted_;
  std::vector<std::int32_t> excluded_;
  std::vector<std::int32_t> others_;
};

}  // namespace gdl
