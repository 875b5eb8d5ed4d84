// Nested rollout policy adaptation (Rosin 2011) for a single player, with the playouts of a level side by side in
// lanes.
//
// A policy has a weight for every move. A search of level 0 is several playouts by the policy, the best of which
// counts. A search of level n makes LENGTH searches of level n - 1; after each of them it makes the
// moves of the best playout more likely. Several groups of lanes search independently of each other and begin again
// where their highest level ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/lane_engine.hpp"
#include "machine/state_evaluator.hpp"
#include "puzzle/goal_distance.hpp"
#include "puzzle/line_search.hpp"
#include "random/draws.hpp"

namespace gdl {

class NestedRollouts final : public LineSearch {
 public:
  // The circuit has one role, and must outlive this object. The programs must ignore turns.
  NestedRollouts(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs);

  void begin(std::span<const std::uint64_t> root, std::uint64_t seed) override;
  // Makes a playout in every lane and adapts the policies. Where `stop` says yes, the playouts that have not ended are
  // given up, and no policy changes.
  void step(const std::function<bool()>& stop) override;

 private:
  static constexpr std::size_t LEVELS = 3;

  // A playout that a level has seen, with the moves that were legal on its way.
  struct SeenPlayout {
    std::int64_t score = -1;
    std::vector<std::int32_t> rows;
    std::vector<std::vector<std::int32_t>> legal;  // [move]
  };
  struct RolloutPolicy {
    std::vector<double> exponents;  // [code]
    std::vector<double> weights;    // [code] e^exponent
  };
  struct RolloutLevel {
    RolloutPolicy policy;
    SeenPlayout best;
    int searches = 0;  // of the level below
  };
  struct RolloutGroup {
    std::array<RolloutLevel, LEVELS> levels;  // the lowest one makes the playouts
  };

  std::size_t code(std::int32_t row, std::size_t depth) const {
    return by_depth_ ? depth * n_rows_ + static_cast<std::size_t>(row) : static_cast<std::size_t>(row);
  }
  // Whether all playouts were made.
  bool run_playouts(const std::function<bool()>& stop);
  void move_lane(std::size_t lane, std::span<const std::int32_t> legal);
  void adapt(RolloutGroup& group, std::size_t lane);
  void adapt(RolloutPolicy& policy, const SeenPlayout& playout) const;
  std::vector<std::vector<std::int32_t>> legal_on(std::span<const std::int32_t> rows);

  const Circuit& circuit_;
  const std::size_t n_rows_;
  const bool by_depth_;  // whether a policy has a weight for every move at every depth
  std::unique_ptr<LaneEngine> engine_;
  StateEvaluator evaluator_;
  GoalDistance distance_;
  LegalLists lists_;
  std::vector<std::uint64_t> root_;
  std::vector<RolloutGroup> groups_;
  Draws draws_;
  std::vector<std::uint64_t> mask_, ended_;      // scratch: lane masks
  std::vector<std::uint64_t> packed_;            // scratch: [lane, word]
  std::vector<std::vector<std::int32_t>> rows_;  // [lane] moves of the playout
  std::vector<std::int64_t> scores_;             // [lane]
};

}  // namespace gdl
