// Many matches in lock-step: every match in progress owns one or more lanes; matches that wait take the lanes of those
// that end.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/afterstates.hpp"
#include "lanes/lane_engine.hpp"
#include "match/lane_schedule.hpp"
#include "match/lane_states.hpp"
#include "match/match.hpp"
#include "match/match_queue.hpp"
#include "search/player_spec.hpp"
#include "search/search_memory.hpp"
#include "search/work.hpp"
#include "search/workspace.hpp"

namespace gdl {

struct ArenaProgress {
  std::int64_t matches = 0;   // ended
  std::int64_t moves = 0;     // joint moves made
  std::int64_t playouts = 0;  // finished
  std::int64_t steps = 0;     // of all lanes together
  double seconds = 0;
};

// The stages of a step of batched search. The names in agent/search/uct.py are in this order.
enum class SearchStage : std::uint8_t { Load, Evaluate, Goals, Read, List, Tree, Choose, Advance };
inline constexpr std::size_t N_SEARCH_STAGES = 8;

// The seconds that each stage of a long run takes, estimated from every eighth step.
class StageClock {
 public:
  void begin_step() {
    measuring_ = step_++ % INTERVAL == 0;
    if (measuring_) last_ = SteadyClock::now();
  }
  // Counts the time since the last call as part of `stage`.
  void end(SearchStage stage) {
    if (!measuring_) return;
    const auto now = SteadyClock::now();
    seconds_[static_cast<std::size_t>(stage)] += std::chrono::duration<double>(now - last_).count() * INTERVAL;
    last_ = now;
  }
  const std::array<double, N_SEARCH_STAGES>& seconds() const { return seconds_; }

 private:
  using SteadyClock = std::chrono::steady_clock;
  static constexpr std::uint64_t INTERVAL = 8;

  bool measuring_ = false;
  std::uint64_t step_ = 0;
  SteadyClock::time_point last_;
  std::array<double, N_SEARCH_STAGES> seconds_{};
};

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
  template <typename Values>
  void read_derived(const LaneMask& lanes, const Values& values);
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

  // Tasks of lanes, carried out: states loaded, moves kept, activities scheduled, matches begun and ended.
  //
  // Begins the next match that waits, if there is one, in a group of lanes that plays none.
  void start_match(int group);
  void end_match(int group);
  // Carries out a task, and wakes the lanes of the match that rest where a search has begun.
  void deliver(int lane, LaneTask task);
  // The task at the end of a selection.
  LaneTask selected(int lane, LaneTask task);
  void apply(int lane, LaneTask task);
  void simulate(int lane, LaneActivities& activities);
  void load_position(int lane);
  void load_state(int lane);
  void load(int lane);
  void keep_joint(int lane);

  // Reports of lanes, `report(lane)` answering with a task; then all selections that follow, in rounds.
  template <typename Report>
  void report_all(std::span<const int> lanes, const Report& report);
  LaneMatch& match_of(int lane) { return groups_.match_of(lane); }
  int place_of(int lane) const { return groups_.place_of(lane); }

  const Circuit& circuit_;
  std::span<const PlayerSpec> players_;
  LaneEngine& engine_;
  SearchMemory memory_;
  const DerivedFacts facts_;           // those that the values of players look at, perhaps none
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
  EndedLanes ended_;
  LaneWaves waves_;
  SelectionRounds selections_;
  std::optional<Afterstates> afterstates_;              // only if a player values moves
  std::vector<int> valuing_;                            // scratch: lanes
  std::vector<const std::uint64_t*> preferring_words_;  // scratch: [kind of preference]
  std::vector<PositionMoves> valued_;                   // scratch: [valuing_]
  LaneMask on_positions_;             // lanes that show the position of their match, not a state of a search
  LaneMask resting_;                  // lanes that wait for the next search of their match
  LaneMask to_value_;                 // lanes whose search waits for the values of moves
  std::vector<LaneMask> preferring_;  // [kind of preference] lanes whose simulations prefer moves
  LaneMask terminal_;                 // lanes that show a terminal state, and their goals once these are read
  LaneMask finished_;                 // lanes whose simulation has ended, with goals read
  LaneMask positions_;                // positions of matches whose legal moves are asked for
  LaneMask final_positions_;          // positions at which matches end
  LaneMask asked_;                    // scratch: lanes that the engine is asked about
  LaneMask late_;                     // scratch: lanes of another turn than the one that was evaluated
};

// Lanes of a match: as many as its players ever have playouts in flight.
int lanes_of_match(std::span<const PlayerSpec> players);

// Whether the player values the moves of the nodes that it opens.
bool values_moves(const PlayerSpec& player);

// The narrowest width that has so many lanes, or the widest: 64, 128, 256 or 512.
int width_for(std::size_t lanes);

}  // namespace gdl
