// Conjunctions that are made under assumptions: literals that are known to hold need not be asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "compiler/nodes.hpp"
#include "program/mutual_exclusion.hpp"

namespace gdl {

class Assumptions {
 public:
  // The nodes and the exclusion must outlive it.
  Assumptions(Nodes& nodes, const MutualExclusion& exclusion) : nodes_(nodes), exclusion_(exclusion) {}

  // Takes a literal as known, and what follows from it by going down its gates and from a fluent's excluding others.
  void assume(Literal literal);
  // Takes it as known that the literals (ascending) do not all hold.
  void exclude(std::vector<Literal> literals) { excluded_.push_back(std::move(literals)); }
  bool holds(Literal literal) const { return literal < known_.size() && known_[literal] != 0; }

  // Whether a literal, or a part of its conjunction, is known not to hold.
  bool contradicts(Literal literal) const;

  // A moment in the sequence of assumptions, and the return to it.
  struct Moment {
    std::size_t literals, exclusions;
  };
  Moment now() const { return {trail_.size(), excluded_.size()}; }
  void return_to(Moment moment);

  // The AND of some literals without move sets. It equals the plain conjunction wherever the assumptions hold.
  Literal conjunction(std::span<const Literal> literals);
  Literal disjunction(std::span<const Literal> literals);

  // The literals that were handled so far, a measure of the time spent.
  std::uint64_t work() const { return work_; }

 private:
  bool flatten(Literal literal, std::vector<Literal>& out) const;
  void inline_into(Literal literal, std::vector<Literal>& out) const;
  Literal wide_conjunction(std::span<const Literal> sorted, int level);
  bool is_impossible(std::span<const Literal> sorted) const;
  void drop_impossible_alternatives();
  // Append what holds, too, where one of some alternatives or a fluent does.
  void append_shared_by_alternatives(std::uint32_t node, std::vector<Literal>& out) const;
  void append_excluded(std::uint32_t node, std::vector<Literal>& out) const;
  void mark(Literal literal);

  Nodes& nodes_;
  const MutualExclusion& exclusion_;
  std::vector<std::uint8_t> known_;  // [literal]
  std::vector<Literal> trail_;       // literals in the order in which they became known
  std::vector<std::vector<Literal>> excluded_;
  std::uint64_t work_ = 0;
  std::vector<Literal> flat_;  // scratch
  std::vector<Literal> trial_;
};

}  // namespace gdl
