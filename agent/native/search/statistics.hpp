// Statistics that a search keeps beside the visits and payoffs in its tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "search/flight.hpp"

namespace gdl {

// Every search has an object of its own and calls it at every step of its playouts. A statistic overrides the functions
// of the steps that it needs.
class Statistics {
 public:
  virtual ~Statistics() = default;

  // The search of a state begins; `last_rows` [n_roles] is the joint move that led to it, empty at the start of a
  // match. Counts of earlier searches of the match are mostly worth less now.
  virtual void begin_search(std::span<const std::int32_t>) {}
  // The tree has been replaced by an empty one.
  virtual void forget_tree() {}

  virtual void begin_playout(const Flight&) {}
  // Selection has come to flight.at, where moves are about to be chosen.
  virtual void enter(const Flight&) {}
  // Moves were chosen there: flight.choice, and the last step of flight.path.
  virtual void note_selection(const Flight&) {}
  // The simulation drew flight.joint; `roles` had several moves to choose from.
  virtual void note_draw(const Flight&, std::span<const std::int32_t>) {}
  // The simulation has ended; `rows` are the rows of all its joint moves. Called where a statistic of some player needs
  // them (PlayerPolicies::counts_simulations()).
  virtual void note_simulation(const Flight&, std::span<const std::int32_t>) {}
  // The playout ended with these goals [n_roles].
  virtual void back_up(const Flight&, const std::int32_t*) {}

  // Bytes held that count against the limit of the tree.
  virtual std::size_t bytes() const { return 0; }
};

}  // namespace gdl
