// Takes common literals out of an OR of ANDs: OR_k (a and b_k) = a and OR_k b_k.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compiler/nodes.hpp"
#include "compiler/pace.hpp"

namespace gdl {

// The literals of an alternative, which is a complemented gate that nothing else reads; none for other literals.
using AlternativeOf = std::function<std::span<const Literal>(Literal)>;

// Takes out the literal that most alternatives among `literals` (ascending, of a conjunction) share, while that saves
// literals. `rest` is told the literals to which alternatives are reduced.
void take_out_common_factors(Nodes& nodes, std::vector<Literal>& literals, const AlternativeOf& alternative,
                             const std::function<void(Literal)>& rest, Pace& pace);

}  // namespace gdl
