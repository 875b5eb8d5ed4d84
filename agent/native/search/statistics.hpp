// What a search counts beside the visits and payoffs in its tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "search/flight.hpp"

namespace gdl {

// One object for each search, which tells it of every step of its playouts. A statistic that does not care for a step
// leaves the function as it is.
class Statistics {
 public:
  virtual ~Statistics() = default;

  // A state is searched; `last_rows` [n_roles] is the joint move that led to it, empty at the start of a match. Most of
  // what earlier searches of the match have counted is worth less now.
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
  // The simulation has ended; `rows` are those of all its joint moves. Told where the statistic asks for it.
  virtual void note_simulation(const Flight&, std::span<const std::int32_t>) {}
  // The playout came to these goals [n_roles].
  virtual void back_up(const Flight&, const std::int32_t*) {}

  // Bytes held that count against the limit of the tree.
  virtual std::size_t bytes() const { return 0; }
};

}  // namespace gdl
