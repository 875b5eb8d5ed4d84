// The learned values of a player at new nodes of its trees, in place of playouts or mixed with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lanes/afterstates.hpp"
#include "random/draws.hpp"
#include "search/player_spec.hpp"
#include "search/search_memory.hpp"
#include "search/solver.hpp"
#include "search/tree.hpp"
#include "values/value_function.hpp"

namespace gdl {

class LeafValues {
 public:
  // The arguments must outlive this object.
  LeafValues(const PlayerSpec& player, SearchMemory& memory);

  bool on() const { return values_.has_value(); }
  // Whether a node's moves are valued when it opens.
  bool values_moves() const { return on() && experience_ > 0; }
  // Whether a playout goes on from a new node to the end of the match.
  bool simulate() const { return !on() || weight_ < 1; }

  // Finds the value to every role, [n_roles] 0..100, of a packed state.
  void value_state(const std::uint64_t* state, std::span<double> values);

  // Counts the moves of the role that chooses at a node as visited so often as its experience says, with the values of
  // the states that they lead to for goals, and proves those that end the match if `solver` is not nullptr. `rows`: the
  // moves, ascending; `position`: their place among the afterstates. `values` become those of the best move.
  void value_moves(Tree& tree, NodeId id, std::span<const std::int32_t> rows, const Afterstates& found,
                   std::size_t position, const Solver* solver, std::span<double> values);

  // Finds the goals that a playout counts with, [n_roles], if it ended with `goals` below a state of these values;
  // `goals` is nullptr where there was no playout. Fractions are rounded at random, so that they are right on average,
  // and so that goals of two roles that add up to 100 still do.
  void mix(std::span<const double> values, const std::int32_t* goals, Draws& draws, std::int32_t* mixed) const;

 private:
  // Finds the edge of each move.
  void find_edges(const Tree& tree, NodeId id, std::span<const std::int32_t> rows);

  std::optional<StateValues> values_;
  double weight_;
  std::uint32_t experience_;
  SearchMemory& memory_;
};

}  // namespace gdl
