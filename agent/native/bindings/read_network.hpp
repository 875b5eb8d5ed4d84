// Reads value networks that come from Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "values/value_network.hpp"

namespace gdl {

// Playable cells of a game with so many fluents and roles; nullptr for None. Throws ValueError where their arrays do
// not fit.
std::shared_ptr<const PlayableCells> read_cells(nanobind::handle value, std::int32_t n_fluents, std::int32_t n_roles);
// The same for relaxed costs.
std::shared_ptr<const RelaxedCosts> read_costs(nanobind::handle value, std::int32_t n_fluents, std::int32_t n_roles);
// Shapes of steps as numbers, [shapes, CostShape::NUMBERS].
std::vector<std::int32_t> numbers_of(std::span<const CostShape> shapes);
// A network over so many fluents and roles. Throws ValueError where its arrays do not fit.
ValueNetwork read_network(nanobind::handle value, std::int32_t n_fluents, std::int32_t n_roles);

}  // namespace gdl
