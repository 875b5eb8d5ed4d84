// The steps that find what the best goals of roles cost.
#pragma once

#include <cstdint>
#include <span>

#include "circuit/circuit.hpp"
#include "circuit/relaxed_costs.hpp"
#include "program/turns.hpp"

namespace gdl {

// Turns cost nothing, for each role is to count its own moves alone. A role has no cost where it is not among `roles`,
// where its largest goal costs the same in all states, or where recursion through negation and moves go round in one
// circle.
RelaxedCosts goal_costs(const Circuit& circuit, const Turns& turns, std::span<const std::int32_t> roles);

}  // namespace gdl
