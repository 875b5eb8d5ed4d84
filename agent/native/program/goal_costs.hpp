// The steps that find what the best goals of all roles cost.
#pragma once

#include "circuit/circuit.hpp"
#include "circuit/relaxed_costs.hpp"
#include "program/turns.hpp"

namespace gdl {

// Turns cost nothing, for each role is to count its own moves alone. A role has no cost where its largest goal costs
// the same in all states, or where recursion through negation and moves go round in one circle.
RelaxedCosts goal_costs(const Circuit& circuit, const Turns& turns);

}  // namespace gdl
