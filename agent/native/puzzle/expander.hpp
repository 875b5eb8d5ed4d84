// The states that all moves of a single player lead to, found in lanes: every move has a lane.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/lane_engine.hpp"

namespace gdl {

// A state that a move leads to.
struct Successor {
  std::uint32_t from;          // place of the state it follows among those expanded
  std::int32_t row;            // the move
  const std::uint64_t* state;  // packed; it lasts until the next expansion
  bool terminal;
  std::int32_t goal;   // -1 if the rules give none
  std::int32_t moves;  // number of legal moves; 0 in a terminal state
};

class Expander {
 public:
  // The circuit has one role, and must outlive this object. The programs must ignore turns.
  Expander(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs);

  // At most this many states are expanded at once.
  std::size_t lanes() const { return static_cast<std::size_t>(engine_->lanes()); }

  // Finds the successors of states that are not terminal, in their order and that of their rows.
  std::span<const Successor> expand(std::span<const std::uint64_t* const> states);

 private:
  // Makes the moves from `first` on, one in each lane, and keeps what they lead to.
  void run(std::span<const std::uint64_t* const> states, std::size_t first, std::size_t last);

  const Circuit& circuit_;
  std::unique_ptr<LaneEngine> engine_;
  LegalLists lists_;
  std::vector<std::uint64_t> mask_, ended_;  // scratch: lane masks
  std::vector<std::uint64_t> packed_;        // scratch: [lane, word]
  std::vector<std::uint64_t> successor_states_;
  std::vector<Successor> successors_;
};

}  // namespace gdl
