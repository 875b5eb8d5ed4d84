// Dead ends of a single player, found in the rules: states from which its largest goal cannot be reached any more.
//
// Some fluents never become false again once they are true, or never become true again: their next value is a
// disjunction or a conjunction with the fluent itself. Where such fluents alone keep the largest goal from holding, now
// and ever after, the state is a dead end, as is a terminal state without that goal. Not all dead ends are found.
#pragma once

#include <optional>

#include "circuit/circuit.hpp"
#include "program/mutual_exclusion.hpp"

namespace gdl {

// The game of a single player in which moves into dead ends are not legal. It is right for states that are neither
// terminal nor dead ends. There is none if no move is known to lead to a dead end, if gates go round in loops, or if
// there are too many of them.
std::optional<Circuit> without_dead_ends(const Circuit& circuit, const MutualExclusion& exclusion);

}  // namespace gdl
