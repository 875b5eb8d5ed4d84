// The tasks of lanes, carried out: states loaded, moves kept, activities scheduled, matches begun and ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lanes/lane_engine.hpp"
#include "match/joint_moves.hpp"
#include "match/lane_mask.hpp"
#include "match/lane_schedule.hpp"
#include "match/match_groups.hpp"
#include "match/simulations.hpp"
#include "search/lane_task.hpp"

namespace gdl {

struct ArenaProgress {
  std::int64_t matches = 0;   // ended
  std::int64_t moves = 0;     // joint moves made
  std::int64_t playouts = 0;  // finished
  std::int64_t steps = 0;     // of all lanes together
  double seconds = 0;
};

class LaneTasks {
 public:
  // Everything given must outlive this. `preferences`: the kinds of moves that simulations prefer.
  LaneTasks(LaneEngine& engine, MatchGroups& groups, LaneSchedule& schedule, JointMoves& joints,
            Simulations& simulations, ArenaProgress& progress, std::size_t preferences);

  // Begins the next match that waits, if there is one, in a group of lanes that plays none.
  void start_match(int group);

  // Carries out a task, and wakes the lanes of the match that rest where a search has begun.
  void deliver(int lane, LaneTask task);

  // Lanes that show the position of their match, not a state of a search.
  const LaneMask& on_positions() const { return on_positions_; }
  // Lanes whose search waits for the values of moves.
  LaneMask& valuing() { return valuing_; }
  // [kind of preference] lanes whose simulations prefer moves.
  const std::vector<LaneMask>& preferring() const { return preferring_; }

 private:
  // The task at the end of a selection.
  LaneTask selected(int lane, LaneTask task);
  void apply(int lane, LaneTask task);
  void simulate(int lane, LaneActivities& activities);
  void load_position(int lane);
  void load_state(int lane);
  void load(int lane);
  void keep_joint(int lane);
  void end_match(int group);
  LaneMatch& match_of(int lane) { return groups_.match_of(lane); }
  int place_of(int lane) const { return groups_.place_of(lane); }

  LaneEngine& engine_;
  MatchGroups& groups_;
  LaneSchedule& schedule_;
  JointMoves& joints_;
  Simulations& simulations_;
  ArenaProgress& progress_;
  LaneMask on_positions_;
  LaneMask resting_;  // lanes that wait for the next search of their match
  LaneMask valuing_;
  std::vector<LaneMask> preferring_;  // [kind]
};

}  // namespace gdl
