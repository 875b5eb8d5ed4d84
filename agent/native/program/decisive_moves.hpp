// Decisive moves as gates: the rows that a playout prefers, because they win at once or keep the next role from doing
// so (Teytaud & Teytaud 2010).
//
// A legal row of a role that chooses is decisive if the state after it is terminal and gives the role its largest goal.
// It is a blunder if the match goes on after it, another role chooses next, and that role has a decisive row then. In a
// state with decisive rows of a role these are preferred. Otherwise, with DecisiveMoves::AntiDecisive, the rows of the
// role that are no blunders are preferred, if there are any; else all its legal rows. Every row has a literal that says
// whether it is preferred.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "circuit/circuit.hpp"
#include "program/mutual_exclusion.hpp"
#include "program/turns.hpp"

namespace gdl {

enum class DecisiveMoves : std::uint8_t {
  Off,
  Decisive,      // moves that win at once are preferred
  AntiDecisive,  // the same, and moves that let another role win at once are avoided
  Auto,          // Decisive, where that is cheap
};

// The kinds of preferences that programs have.
struct Preferences {
  bool decisive = false;
  bool anti_decisive = false;

  bool any() const { return decisive || anti_decisive; }
  int count() const { return decisive + anti_decisive; }
  void add(DecisiveMoves moves) {
    decisive = decisive || moves == DecisiveMoves::Decisive;
    anti_decisive = anti_decisive || moves == DecisiveMoves::AntiDecisive;
  }
  // The place of a kind that is there among all kinds that are.
  int place_of(DecisiveMoves moves) const { return moves == DecisiveMoves::AntiDecisive && decisive; }
};

struct DecisiveCircuit {
  // With a literal for every kind of preference and row, right for every state of a turn that is not terminal.
  std::optional<Circuit> circuit;
  std::vector<std::vector<std::uint8_t>> choosing;  // [turn, row] whether the role of a legal row may have others
  std::string reason;                               // why there is no circuit
};

// Makes the gates by substitution: the state after a row is put into the gates that say how matches end. There is no
// such circuit where several roles may choose at the same time, where gates go round in loops, and where they are too
// many.
DecisiveCircuit with_decisive_moves(const Circuit& circuit, const Turns& turns, const MutualExclusion& exclusion,
                                    Preferences preferences);

}  // namespace gdl
