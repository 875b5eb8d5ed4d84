// DecisiveMoves in Python: their names, and what a game makes of them.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

#include "machine/machine.hpp"
#include "program/decisive_moves.hpp"
#include "search/player_spec.hpp"

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

// Settles what the players' playouts prefer in a game, and returns the preferences that the programs need.
inline Preferences settle_preferences(const Machine& machine, std::span<PlayerSpec> players) {
  Preferences preferences;
  for (PlayerSpec& player : players) {
    player.decisive_moves = machine.settled(player.decisive_moves);
    preferences.add(player.decisive_moves);
  }
  for (PlayerSpec& player : players) {
    if (player.decisive_moves == DecisiveMoves::Off) continue;
    player.preference = static_cast<std::size_t>(preferences.place_of(player.decisive_moves));
  }
  return preferences;
}

}  // namespace gdl
