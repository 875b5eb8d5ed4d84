// Lays nodes out as the arrays of a circuit: order, phases, loops.
#pragma once

#include <stdexcept>

#include "circuit/circuit.hpp"
#include "compiler/nodes.hpp"
#include "compiler/pace.hpp"

namespace gdl {

// Something that is asked of a state depends on the moves made in it.
struct MovesInState : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// The circuit that computes the roots; goals have no role or value yet, and no fluent holds initially. Gates come depth
// first, so that a gate stands near the gates that read it. Throws MovesInState.
Circuit lay_out(const Nodes& nodes, const Roots& roots, Pace& pace);
// Does the same, with the roles and values of the goals and the initial state of a circuit that has the same fluents
// and goals.
Circuit lay_out_like(const Circuit& circuit, const Nodes& nodes, const Roots& roots);

}  // namespace gdl
