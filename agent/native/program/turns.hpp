// Whose turn it is: fluents that follow a cycle of their own, whatever the moves and the rest of the state.
//
// Most games take turns by a few such fluents (`control white`, `control black`). Lanes in the same turn can run a
// circuit in which these fluents are constants: the moves and the gates of those whose turn it is not are gone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "circuit/circuit.hpp"

namespace gdl {

struct Turns {
  std::vector<std::int32_t> fluents;              // ascending; constants of the game are among them
  std::vector<std::vector<std::uint8_t>> values;  // [turn, place in fluents]; the initial state is in turn 0

  int count() const { return static_cast<int>(values.size()); }
  int after(int turn) const { return turn + 1 == count() ? 0 : turn + 1; }
  // The turn of a packed state; none where it is in none: no play from the initial state leads there.
  std::optional<int> of(const std::uint64_t* state) const;
};

// At least one turn, at most MAX_TURNS. Proof: the next value of each of the fluents depends on these fluents alone,
// and following them from the initial state comes back to it.
inline constexpr int MAX_TURNS = 8;
Turns find_turns(const Circuit& circuit);

// The circuit with the fluents of one turn as constants: gates folded, equal ones made one, dead rows out of the move
// sets. It gives the same as `circuit` in every state of the turn.
Circuit circuit_of_turn(const Circuit& circuit, const Turns& turns, int turn);

}  // namespace gdl
