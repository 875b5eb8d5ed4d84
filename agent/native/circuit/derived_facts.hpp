// Facts that follow from a state, beside its own: those of playable cells and those of costs.
//
// They are packed as states are, those of cells first. Those of costs begin in a word of their own, so that each kind
// can be read without the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "circuit/playable_cells.hpp"
#include "circuit/relaxed_costs.hpp"

namespace gdl {

// Copies share the cells and the costs.
struct DerivedFacts {
  std::shared_ptr<const PlayableCells> cells = nullptr;  // nullptr if they are not looked at
  std::shared_ptr<const RelaxedCosts> costs = nullptr;   // nullptr if they are not looked at

  bool empty() const { return cells == nullptr && costs == nullptr; }
  std::size_t n_cell_facts() const { return cells == nullptr ? 0 : cells->n_facts(); }
  std::size_t n_cost_facts() const { return costs == nullptr ? 0 : costs->n_facts(); }
  std::size_t n_facts() const { return n_cell_facts() + n_cost_facts(); }

  std::size_t cell_words() const { return (n_cell_facts() + 63) / 64; }
  std::size_t words() const { return cell_words() + (n_cost_facts() + 63) / 64; }
  // The number of the fact that is the lowest bit of a word: facts of cells are numbered first.
  std::size_t first_fact(std::size_t word) const {
    return word < cell_words() ? 64 * word : n_cell_facts() + 64 * (word - cell_words());
  }

  // These facts among the packed ones of `all`, of which they are a part.
  std::span<const std::uint64_t> part_of(const DerivedFacts& all, std::span<const std::uint64_t> packed) const {
    if (empty()) return {};
    return packed.subspan(cells == nullptr ? all.cell_words() : 0, words());
  }
};

}  // namespace gdl
