// Descents of a single player by the means of random playouts.
//
// A descent is a match that is played at once: at every state the lanes play on at random from each of its moves, and
// the move with the largest mean goal is made (flat Monte-Carlo search). Where goals rise little by little, the means
// lead to better ends than the best of as many playouts does. All playouts on the way count as lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/lane_engine.hpp"
#include "machine/state_evaluator.hpp"
#include "puzzle/line_search.hpp"
#include "random/draws.hpp"

namespace gdl {

class Descents final : public LineSearch {
 public:
  // The circuit has one role, and must outlive this object. The programs must ignore turns.
  Descents(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs);

  void begin(std::span<const std::uint64_t> root, std::uint64_t seed) override;
  // Makes one move of a descent. Where `stop` says yes, the move is not made.
  void step(const std::function<bool()>& stop) override;

 private:
  // Goals of the playouts that begin with a move.
  struct MoveMean {
    std::int64_t goals = 0;
    std::int64_t playouts = 0;
  };

  void begin_descent();
  // Plays on from the moves `legal`, which lanes make in turn; returns whether all playouts came to an end.
  bool play(std::span<const std::int32_t> legal, std::vector<MoveMean>& means, const std::function<bool()>& stop);
  void note(std::size_t lane, std::int32_t goal);

  const Circuit& circuit_;
  std::unique_ptr<LaneEngine> engine_;
  StateEvaluator evaluator_;
  std::vector<std::uint64_t> root_;
  std::vector<std::uint64_t> state_;            // of the descent
  std::vector<std::int32_t> made_;              // its moves so far
  LegalLists chosen_;                           // [lane] rows of the playout beyond them
  std::vector<std::uint64_t> playing_, ended_;  // scratch: lane masks
  Draws draws_;
};

}  // namespace gdl
