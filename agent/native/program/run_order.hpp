// Orders gates so that equal shapes run together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/netlist.hpp"

namespace gdl {

// Reorders gates so that gates of one shape follow each other. The given order and the new one have every gate before
// its readers. It does not look so far ahead that values leave the cache before they are read.
std::vector<std::uint32_t> order_into_runs(const Netlist& netlist, std::span<const std::uint32_t> gates);

}  // namespace gdl
