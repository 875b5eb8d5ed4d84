// The learned values of a player at new nodes of its trees, in place of playouts or mixed with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "lanes/afterstates.hpp"
#include "random/draws.hpp"
#include "search/player_spec.hpp"
#include "search/search_memory.hpp"
#include "search/solver.hpp"
#include "search/tree.hpp"
#include "values/state_values.hpp"

namespace gdl {

// How the playouts of a search use learned values.
struct LeafUse {
  bool nodes = false;     // whether they value their new nodes
  bool moves = false;     // whether they value the moves of the nodes that they open
  bool simulates = true;  // whether they go on from the new node to the end of the match
  double weight = 0;      // of the value of the new node in what they bring; the simulation has the rest
};

class LeafValues {
 public:
  // The arguments must outlive this object. `seen`: the derived facts that it will be told of states, those that the
  // values look at among them.
  LeafValues(const PlayerSpec& player, SearchMemory& memory, const DerivedFacts& seen);

  // How the playouts of a search of so many use the values.
  const LeafUse& use(std::int64_t playouts) const {
    if (playouts > valued_playouts_) return unused_;
    return playouts <= trusted_playouts_ ? trusting_ : mixing_;
  }

  // Whether the values look at derived facts.
  bool look_at_derived() const { return own_ != nullptr; }

  // Finds the value to every role, [n_roles] 0..100, of a packed state. `derived`: its packed derived facts.
  void value_state(const std::uint64_t* state, std::span<const std::uint64_t> derived, std::span<double> values);

  // Counts the moves of the role that chooses at a node as visited so often as its experience says, with the values of
  // the states that they lead to for goals, and proves those that end the match if `solver` is not nullptr. `rows`: the
  // moves, ascending; `position`: their place among the afterstates. `values` become those of the best move.
  void value_moves(Tree& tree, NodeId id, std::span<const std::int32_t> rows, const Afterstates& found,
                   std::size_t position, const Solver* solver, std::span<double> values);

  // Mixes the values of a new node, [n_roles], which have this weight, with the goals of its simulation.
  static void mix(double weight, std::span<double> values, const std::int32_t* goals) {
    for (std::size_t role = 0; role < values.size(); ++role) {
      values[role] = weight * values[role] + (1 - weight) * goals[role];
    }
  }

  // Finds the whole goals that a playout counts with, [n_roles]. Fractions are rounded at random, so that they are
  // right on average, and so that goals of two roles that add up to 100 still do.
  static void round(std::span<const double> values, Draws& draws, std::int32_t* goals);

 private:
  // The derived facts that the values look at among those seen.
  std::span<const std::uint64_t> own(std::span<const std::uint64_t> seen) const {
    return own_ == nullptr ? std::span<const std::uint64_t>() : own_->part_of(seen_, seen);
  }
  // Finds the edge of each move of the role that chooses.
  void find_edges(const Tree& tree, NodeId id, std::span<const std::int32_t> rows);

  std::optional<StateValues> values_;
  const DerivedFacts* own_ = nullptr;  // those that the values look at; nullptr if they look at none
  const DerivedFacts& seen_;
  std::uint32_t experience_;
  std::int64_t trusted_playouts_;
  std::int64_t valued_playouts_;
  LeafUse trusting_;
  LeafUse mixing_;
  LeafUse unused_;
  SearchMemory& memory_;
};

}  // namespace gdl
