// OR of ANDs with a common literal: OR_k (a and b_k) = a and OR_k b_k.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compiler/nodes.hpp"
#include "compiler/pace.hpp"

namespace gdl {

// The literals of an alternative: a complemented gate that nothing else reads; none for what is no alternative.
using AlternativeOf = std::function<std::span<const Literal>(Literal)>;

// Takes out the literal that most alternatives among `literals` (of a conjunction, ascending) share, while that saves
// literals. `rest` is told the literals that alternatives are reduced to.
void take_out_common_factors(Nodes& nodes, std::vector<Literal>& literals, const AlternativeOf& alternative,
                             const std::function<void(Literal)>& rest, Pace& pace);

}  // namespace gdl
