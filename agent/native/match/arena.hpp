// Many matches in lock-step: every match in progress owns one or more lanes; matches that wait take the lanes of those
// that end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/afterstates.hpp"
#include "lanes/lane_engine.hpp"
#include "match/ended_lanes.hpp"
#include "match/joint_moves.hpp"
#include "match/lane_mask.hpp"
#include "match/lane_readings.hpp"
#include "match/lane_schedule.hpp"
#include "match/lane_tasks.hpp"
#include "match/lane_waves.hpp"
#include "match/match.hpp"
#include "match/match_groups.hpp"
#include "match/selection_rounds.hpp"
#include "match/simulations.hpp"
#include "match/stage_clock.hpp"
#include "search/player_spec.hpp"
#include "search/search_memory.hpp"
#include "search/work.hpp"
#include "search/workspace.hpp"

namespace gdl {

// Runs the steps of all lanes: in each, lanes show what they were asked for, matches hear of it and answer with tasks.
class Arena {
 public:
  // Called at every step; an exception ends run().
  using Poll = std::function<void(const ArenaProgress&)>;

  // Everything given must outlive the arena. `programs` find afterstates, so they ignore turns; they may be null where
  // no player values moves.
  Arena(const Circuit& circuit, std::span<const PlayerSpec> players, LaneEngine& engine,
        std::shared_ptr<const ProgramSet> programs);
  // Its parts refer to each other.
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Plays all matches.
  void run(std::span<const MatchStart> starts, const Poll& poll);

  const std::vector<MatchHistory>& histories() const { return groups_.histories(); }  // [match]
  const ArenaProgress& progress() const { return progress_; }
  const StageClock& clock() const { return clock_; }
  Work work() const;

 private:
  void begin(std::span<const MatchStart> starts);
  void step();
  void evaluate();
  void read_goals();
  void read_states();
  void list_legal();
  void back_up();
  void resume_waiting();
  void expand();
  void place_ended();
  void open();
  void place_listed();
  void value_moves();
  void draw_moves();
  void choose();
  void make_moves();
  // Reports of lanes, `report(lane)` answering with a task; then all selections that follow, in rounds.
  template <typename Report>
  void report_all(std::span<const int> lanes, const Report& report);
  LaneMatch& match_of(int lane) { return groups_.match_of(lane); }
  int place_of(int lane) const { return groups_.place_of(lane); }

  const Circuit& circuit_;
  std::span<const PlayerSpec> players_;
  LaneEngine& engine_;
  SearchMemory memory_;
  std::vector<Workspace> workspaces_;  // [player]
  bool draws_by_state_;                // some player draws moves of simulations by their states: these are read
  ArenaProgress progress_;
  Work moves_;  // of simulations
  StageClock clock_;
  MatchGroups groups_;
  LaneSchedule schedule_;
  LaneReadings readings_;
  JointMoves joints_;
  Simulations simulations_;
  LaneTasks tasks_;
  EndedLanes ended_;
  LaneWaves waves_;
  SelectionRounds selections_;
  std::optional<Afterstates> afterstates_;        // only if a player values moves
  std::vector<int> valuing_;                      // scratch: lanes
  std::vector<const std::uint64_t*> preferring_;  // scratch: [kind of preference] words of lanes
  std::vector<PositionMoves> valued_;             // scratch: [valuing_]
  LaneMask terminal_;         // lanes that show a terminal state, and their goals once these are read
  LaneMask finished_;         // lanes whose simulation has ended, with goals read
  LaneMask positions_;        // positions of matches whose legal moves are asked for
  LaneMask final_positions_;  // positions at which matches end
  LaneMask asked_;            // scratch: lanes that the engine is asked about
  LaneMask late_;             // scratch: lanes of another turn than the one that was evaluated
};

// Lanes of a match: as many as its players ever have playouts in flight.
int lanes_of_match(std::span<const PlayerSpec> players);

// Whether the player values the moves of the nodes that it opens.
bool values_moves(const PlayerSpec& player);

// The narrowest width that has so many lanes, or the widest: 64, 128, 256 or 512.
int width_for(std::size_t lanes);

}  // namespace gdl
