// Compiles ground rules to nodes.
#pragma once

#include <stdexcept>

#include "compiler/ground_rules.hpp"
#include "compiler/nodes.hpp"
#include "compiler/pace.hpp"

namespace gdl {

// A ground atom depends on its own negation.
struct NegativeCycle : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct CompiledRules {
  Nodes nodes;
  Roots roots;
};

// Atoms become literals in the order of their dependence. Alternatives that share their state part are factored:
// OR_k (t and does in S_k) = t and (does in union S_k), which keeps frame axioms small. A cycle of atoms is positive
// recursion and becomes a loop of gates; a cycle through a negation throws NegativeCycle. Malformed rules throw
// std::invalid_argument.
CompiledRules compile_rules(const GroundRules& rules, Pace& pace);

}  // namespace gdl
