// Facts that follow from a state, beside its own: those of playable cells, then those of costs.
//
// They are packed as states are: fact f is bit f % 64 of word f / 64.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "circuit/playable_cells.hpp"
#include "circuit/relaxed_costs.hpp"

namespace gdl {

struct DerivedFacts {
  PlayableCells cells = {};
  RelaxedCosts costs = {};

  bool empty() const { return cells.empty() && costs.empty(); }
  std::size_t n_facts() const { return cells.n_facts() + costs.n_facts(); }
  std::size_t words() const { return (n_facts() + 63) / 64; }

  // Writes the packed facts, [words()], of a packed state with these legal rows, in any order.
  void find(const std::uint64_t* state, std::span<const std::int32_t> legal, std::uint64_t* facts) const {
    std::fill_n(facts, words(), 0);
    if (!cells.empty()) cells.find(state, legal, facts);
    if (costs.empty()) return;
    std::vector<std::uint8_t> of_roles(costs.role.size());
    costs.find(state, of_roles.data());
    for (std::size_t role = 0; role < of_roles.size(); ++role) {
      if (of_roles[role] == 0) continue;
      const std::size_t fact = cells.n_facts() + role * RelaxedCosts::MOST + of_roles[role] - 1;
      facts[fact / 64] |= std::uint64_t{1} << (fact % 64);
    }
  }

  friend bool operator==(const DerivedFacts&, const DerivedFacts&) = default;
};

}  // namespace gdl
