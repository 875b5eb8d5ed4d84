// The states that the moves of a role lead to from given positions, many at once: every move has a lane.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/lane_engine.hpp"

namespace gdl {

// A state, and the moves of one role in it; the other roles make the moves of `joint`.
struct PositionMoves {
  const std::uint64_t* state;           // packed
  std::span<const std::int32_t> joint;  // [n_roles] rows; that of `role` is not read
  std::int32_t role;
  std::span<const std::int32_t> rows;  // of `role`
};

// The state that a move leads to, as far as it differs from the state before.
struct Afterstate {
  std::span<const std::int32_t> changed;   // fluents, ascending
  const std::int32_t* goals;               // [n_roles] 0 where the rules give none; nullptr if it is not terminal
  std::span<const std::uint64_t> derived;  // packed derived facts, if they are asked for
};

class Afterstates {
 public:
  // The circuit must outlive this object, and so must the facts that are to be found, if there are any.
  // Throws std::invalid_argument for those of another game.
  Afterstates(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, int lanes, const DerivedFacts& facts);

  // Finds the afterstates of all positions, which must last until they have been read.
  void find(std::span<const PositionMoves> positions);
  // The one that the move of this place among the rows of a position leads to.
  Afterstate at(std::size_t position, std::size_t move) const;
  // The packed derived facts that most of three afterstates of a position have: of its first move, one in the
  // middle and the last. Those of the others differ little from them.
  std::span<const std::uint64_t> usual(std::size_t position) const {
    return {usual_.data() + position * facts_.words(), facts_.words()};
  }

 private:
  void find_usual(std::span<const PositionMoves> positions);
  // Runs the moves of the lanes up to `lanes` and keeps what they lead to.
  void run(std::size_t lanes);

  const Circuit& circuit_;
  std::unique_ptr<LaneEngine> engine_;
  const DerivedFacts& facts_;
  ChangeLists changes_;
  std::vector<std::uint64_t> mask_;       // scratch: a lane mask
  std::vector<std::size_t> first_;        // [position] its first afterstate
  std::vector<std::size_t> change_end_;   // [afterstate] end of its fluents in changed_
  std::vector<std::int32_t> changed_;     // fluents
  std::vector<std::int32_t> goal_place_;  // [afterstate] place of its goals, or -1
  std::vector<std::int32_t> goals_;
  std::vector<std::uint64_t> derived_;  // [afterstate, words of facts_]
  std::vector<std::uint64_t> usual_;    // [position, words of facts_]
  std::vector<std::uint64_t> shown_;    // scratch: [lane, words of facts_]
};

}  // namespace gdl
