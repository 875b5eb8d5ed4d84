// Proves that some fluents never hold together: a square holds one piece, one player is to move.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "circuit/circuit.hpp"

namespace gdl {

// Groups of fluents of which perhaps at most one holds at a time; the names of the fluents suggest them. Several groups
// may share a fluent.
using FluentGroups = Lists<std::int32_t>;

// Throws std::invalid_argument unless the groups are lists of the circuit's fluents.
void check_groups(const FluentGroups& groups, const Circuit& circuit);

// Pairs of fluents that do not hold together in any state that play can reach.
//
// The proof is by induction: no pair holds in the initial state, and if none holds in a state, none does in the next
// one, whatever legal moves are made. Pairs for which the second cannot be shown are dropped until it can be shown for
// all that are left.
class MutualExclusion {
 public:
  // Tries the pairs within each group. The work is bounded; beyond the bound nothing counts as proven.
  MutualExclusion(const Circuit& circuit, const FluentGroups& groups);

  bool exclusive(std::int32_t one, std::int32_t other) const {
    const std::int32_t i = place_[static_cast<std::size_t>(one)], j = place_[static_cast<std::size_t>(other)];
    return i >= 0 && j >= 0 && bit(i, j);
  }
  // All pairs, ascending; the larger fluent of a pair comes first.
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs() const;

 private:
  bool bit(std::int32_t i, std::int32_t j) const {
    return (pairs_[static_cast<std::size_t>(i) * words_ + static_cast<std::size_t>(j / 64)] >> (j % 64) & 1u) != 0;
  }
  void flip(std::int32_t i, std::int32_t j);
  void suppose(const Circuit& circuit, const FluentGroups& groups);
  void keep_inductive(const Circuit& circuit);

  std::vector<std::int32_t> fluents_;  // those that some group has
  std::vector<std::int32_t> place_;    // [fluent] in fluents_, or -1
  std::size_t words_ = 0;
  std::vector<std::uint64_t> pairs_;  // [place, word of places], symmetric
};

}  // namespace gdl
