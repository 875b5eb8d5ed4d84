// The order in which waiting matches begin. It changes the speed, never a match.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/lane_engine.hpp"
#include "match/match.hpp"
#include "search/player_spec.hpp"

namespace gdl {

// Returns the indices of the matches, the longest match first, as a few random playouts estimate it: with short matches
// left for the end, no lane searches on alone while the others have nothing to do. The order is the given one where
// `at_once` matches, which can be played at the same time, are all, where nobody searches, or where all begin alike.
// Uses the lanes of the engine.
std::vector<std::size_t> order_of_starts(const Circuit& circuit, LaneEngine& engine,
                                         std::span<const PlayerSpec> players, std::span<const MatchStart> starts,
                                         std::size_t at_once);

}  // namespace gdl
