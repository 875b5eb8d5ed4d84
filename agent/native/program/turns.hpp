// Finds the fluents that say whose turn it is: they follow a cycle of their own, whatever the moves and the rest of the
// state.
//
// In most games a few such fluents (`control white`, `control black`) tell the turn. Lanes in the same turn can run a
// circuit in which these fluents are constants, without the moves and the gates of the players who wait.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "circuit/circuit.hpp"

namespace gdl {

struct Turns {
  std::vector<std::int32_t> fluents;              // ascending; the constants of the game are among them
  std::vector<std::vector<std::uint8_t>> values;  // [turn, place in fluents]; the initial state is in turn 0

  int count() const { return static_cast<int>(values.size()); }
  int after(int turn) const { return turn + 1 == count() ? 0 : turn + 1; }
  // The turn of a packed state. There is none in states to which no play from the initial state leads.
  std::optional<int> of(const std::uint64_t* state) const;
};

// There is at least one turn, and there are at most MAX_TURNS. The proof: the next value of each of the fluents depends
// on these fluents alone, and following them from the initial state comes back to it.
inline constexpr int MAX_TURNS = 8;
Turns find_turns(const Circuit& circuit);

// [fluent] whether the fluent belongs to the largest set of fluents whose next values depend on each other alone, and
// on no move. They change in the same way whatever is played.
std::vector<std::uint8_t> autonomous_fluents(const Circuit& circuit);

// The circuit with the fluents of one turn as constants. Gates are folded, equal ones become one, and rows that are
// never legal leave the move sets. In every state of the turn the results are those of `circuit`.
Circuit circuit_of_turn(const Circuit& circuit, const Turns& turns, int turn);

}  // namespace gdl
