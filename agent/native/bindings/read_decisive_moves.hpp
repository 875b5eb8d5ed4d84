// DecisiveMoves in Python: their names, and what a game makes of them.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "machine/machine.hpp"
#include "program/decisive_moves.hpp"

namespace gdl {

// Throws std::invalid_argument for another name.
inline DecisiveMoves read_decisive_moves(const std::string& name) {
  if (name == "off") return DecisiveMoves::Off;
  if (name == "decisive") return DecisiveMoves::Decisive;
  if (name == "antidecisive") return DecisiveMoves::AntiDecisive;
  if (name == "auto") return DecisiveMoves::Auto;
  throw std::invalid_argument("decisive moves are off, decisive, antidecisive or auto, not " + name);
}

inline const char* name_of(DecisiveMoves moves) {
  static constexpr const char* NAMES[] = {"off", "decisive", "antidecisive", "auto"};
  return NAMES[static_cast<std::size_t>(moves)];
}

// The preferences of a game's programs where these decisive moves alone are asked for.
inline Preferences preferences_for(const Machine& machine, DecisiveMoves moves) {
  Preferences preferences;
  preferences.add(machine.settled(moves));
  return preferences;
}

}  // namespace gdl
