// An order of gates that lets equal shapes run together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/netlist.hpp"

namespace gdl {

// Reorders gates (given in an order that defines before use) so that gates of one shape follow each other, looking no
// further ahead than keeps values in the cache between their gate and its readers.
std::vector<std::uint32_t> order_into_runs(const Netlist& netlist, std::span<const std::uint32_t> gates);

}  // namespace gdl
