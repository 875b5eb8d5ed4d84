// Searches for a contradiction, to prove that something is never true of a state and the moves made in it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"

namespace gdl {

// A literal of phase B stands for its value after the step. Every role makes one move, which is legal. The search is
// sound but not complete: everything that it refutes is impossible, but it does not refute everything impossible. It
// does not look into gates of loops.
class Refuter {
 public:
  using Exclusive = std::function<bool(std::int32_t, std::int32_t)>;

  // `exclusive` says of which pairs of fluents at most one holds.
  Refuter(const Circuit& circuit, Exclusive exclusive);

  // Whether it is proven that two literals are never both true.
  bool refutes(Literal one, Literal other);
  // The number of literals looked at so far.
  std::uint64_t work() const { return work_; }

 private:
  enum class Truth : std::uint8_t { Unknown, True, False };
  struct Mark {
    std::size_t assigned, held, open;
  };

  // The rows that may be chosen, while a question is looked into.
  struct AllowedRows {
    std::vector<std::uint64_t> allowed;  // [row] bits
    std::vector<std::int32_t> count;     // [role] number of rows allowed; ALL as long as none is forbidden
  };
  static constexpr std::int32_t ALL = -1;

  bool assume(Literal literal);
  bool assume_now(Literal literal);
  bool narrow(std::uint32_t set, bool inside);
  bool contradictory(int splits);
  bool propagate();
  bool propagate_gates(bool& changed);
  bool propagate_rows(std::size_t role, bool& changed);
  bool impossible(std::int32_t row) const;
  void undo(const Mark& mark);
  Mark mark() const { return {assigned_.size(), held_.size(), open_.size()}; }

  Truth value(Literal literal) const;
  Truth value_of_set(std::uint32_t slot) const;
  std::size_t role_of_set(std::uint32_t slot) const;
  bool allows(std::int32_t row) const {
    return (allowed_rows_.allowed[static_cast<std::size_t>(row / 64)] >> (row % 64) & 1u) != 0;
  }

  const Circuit& circuit_;
  Exclusive exclusive_;
  std::vector<std::uint8_t> in_loop_;                 // [gate]
  const std::vector<std::vector<Literal>> required_;  // [row] literals of fluents, true wherever the row is legal
  std::vector<Truth> values_;                         // [slot]
  std::vector<std::uint32_t> assigned_;               // slots, in order
  std::vector<std::int32_t> held_;                    // fluents that are true
  std::vector<std::uint32_t> open_;                   // slots of gates that are false: one of their literals is
  AllowedRows allowed_rows_;
  std::vector<Literal> queue_;
  std::uint64_t work_ = 0;
  int splits_left_ = 0;
};

// [row] the literals of fluents that are true wherever the row is legal, as far as its gates say so; ascending.
std::vector<std::vector<Literal>> required_literals(const Circuit& circuit);

}  // namespace gdl
