// Plays lines of a single player on the circuit, one state at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "machine/state_evaluator.hpp"
#include "puzzle/line.hpp"

namespace gdl {

class Replay {
 public:
  // The circuit has one role, and must outlive this object.
  explicit Replay(const Circuit& circuit) : circuit_(circuit), evaluator_(circuit) {}

  // The line that the moves are from a state, up to the end of the match. Its goal is -1 if there is no end, or if a
  // move is illegal; then it has the moves before.
  Line operator()(std::span<const std::uint64_t> state, std::span<const std::int32_t> rows);

  // The legal rows of a state, ascending.
  std::vector<std::int32_t> legal(std::span<const std::uint64_t> state);

 private:
  std::vector<std::uint64_t> after(std::span<const std::uint64_t> state, std::int32_t row);

  const Circuit& circuit_;
  StateEvaluator evaluator_;
};

}  // namespace gdl
