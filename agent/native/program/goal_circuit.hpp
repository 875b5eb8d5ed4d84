// Parts goals from the rest, so that gates that only they need are evaluated for states that ended, not for every
// state.
#pragma once

#include "circuit/circuit.hpp"

namespace gdl {

// Whether the gates that only goals need are worth a circuit of their own.
bool goals_are_costly(const Circuit& circuit);

// The circuit with goals that never hold, without the gates that only they need.
Circuit without_goals(const Circuit& circuit);

// The circuit of the goals alone: no moves, nothing legal, no next state.
Circuit goals_alone(const Circuit& circuit);

}  // namespace gdl
