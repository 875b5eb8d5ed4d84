// The learned values of a player: at new nodes of its trees, in place of playouts or mixed with them, and at the ends
// of playouts that are cut.
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
  // Whether new nodes are valued.
  bool values_nodes() const { return on() && (weight_ > 0 || experience_ > 0); }
  // Whether a node's moves are valued when it opens.
  bool values_moves() const { return on() && experience_ > 0; }
  // Whether a playout goes on from a new node.
  bool simulate() const { return !on() || weight_ < 1; }
  // Joint moves after which a simulation is cut; 0: it goes on to the end of the match.
  std::int64_t playout_depth() const { return on() ? playout_depth_ : 0; }

  // Finds the value to every role, [n_roles] 0..100, of a packed state.
  void value_state(const std::uint64_t* state, std::span<double> values);

  // Counts the moves of the role that chooses at a node as visited so often as its experience says, with the values of
  // the states that they lead to for goals, and proves those that end the match if `solver` is not nullptr. `rows`: the
  // moves, ascending; `position`: their place among the afterstates. `values` become those of the best move.
  void value_moves(Tree& tree, NodeId id, std::span<const std::int32_t> rows, const Afterstates& found,
                   std::size_t position, const Solver* solver, std::span<double> values);

  // Mixes the values of a new node, [n_roles], with what its simulation brought: goals, or the values of the state at
  // which it was cut.
  template <typename Number>
  void mix(std::span<double> values, const Number* brought) const {
    for (std::size_t role = 0; role < values.size(); ++role) {
      values[role] = weight_ * values[role] + (1 - weight_) * brought[role];
    }
  }

  // Finds the whole goals that a playout counts with, [n_roles]. Fractions are rounded at random, so that they are
  // right on average, and so that goals of two roles that add up to 100 still do.
  static void round(std::span<const double> values, Draws& draws, std::int32_t* goals);

 private:
  // Finds the edge of each move.
  void find_edges(const Tree& tree, NodeId id, std::span<const std::int32_t> rows);

  std::optional<StateValues> values_;
  double weight_;
  std::uint32_t experience_;
  std::int64_t playout_depth_;
  SearchMemory& memory_;
};

}  // namespace gdl
