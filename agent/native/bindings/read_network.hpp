// Reads value networks that come from Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "values/value_network.hpp"

namespace gdl {

// Playable cells of a game with so many fluents and roles; None has none. Throws ValueError where its arrays do not
// fit.
PlayableCells read_cells(nanobind::handle value, std::int32_t n_fluents, std::int32_t n_roles);
// The same for relaxed costs.
RelaxedCosts read_costs(nanobind::handle value, std::int32_t n_fluents, std::int32_t n_roles);
// A network over so many fluents and roles. Throws ValueError where its arrays do not fit.
ValueNetwork read_network(nanobind::handle value, std::int32_t n_fluents, std::int32_t n_roles);

}  // namespace gdl
