// Many matches in lock-step: every match in progress owns one or more lanes, waiting ones take the lanes of those that
// end.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/lane_engine.hpp"
#include "match/match.hpp"
#include "match/stage_clock.hpp"
#include "search/player.hpp"
#include "search/work.hpp"

namespace gdl {

struct ArenaProgress {
  std::int64_t matches = 0;   // ended
  std::int64_t moves = 0;     // joint moves made
  std::int64_t playouts = 0;  // finished
  std::int64_t steps = 0;     // of all lanes together
  double seconds = 0;
};

class Arena {
 public:
  // Called at every step; an exception ends run().
  using Poll = std::function<void(const ArenaProgress&)>;

  // Everything given must outlive the arena.
  Arena(const Circuit& circuit, std::span<const Player> players, LaneEngine& engine);

  // Plays all matches.
  void run(std::span<const MatchStart> starts, const Poll& poll);

  const std::vector<MatchHistory>& histories() const { return histories_; }  // [match]
  const ArenaProgress& progress() const { return progress_; }
  const StageClock& clock() const { return clock_; }
  Work work() const;

 private:
  using Mask = std::vector<std::uint64_t>;  // [lanes / 64]

  // Consecutive lanes that play one match.
  struct Group {
    std::unique_ptr<Match> match;
    std::size_t index = 0;  // of the match
  };

  // Lanes that show a terminal state and wait for its goals.
  struct Ended {
    Mask playouts;
    Mask arrivals;
    double waited = 0;  // steps of all lanes that their waiting has cost
  };

  struct Lane {
    bool placing = false;            // it will show the match's position, not a search's
    bool resting = false;            // it waits for the next search of its match
    std::int64_t playing_since = 0;  // step in which its playout began
  };

  struct Descending {
    Selection selection;
    int lane;
  };

  // What lanes do from one evaluation to the next.
  struct Lanes {
    Mask moving;    // show a state in which a joint move is to be made
    Mask listing;   // show a state whose legal moves are asked for
    Mask arriving;  // show a state to be reported
    Mask playing;   // play at random
    Mask drawing;   // play by knowledge
    Mask waiting;   // nothing
    void clear(std::size_t words);
    std::array<Mask*, 5> of_states() { return {&moving, &listing, &arriving, &playing, &drawing}; }
  };

  void step();
  void evaluate();
  // Lanes that show a terminal state wait there until it pays to ask for goals.
  void hold_ended();
  bool goals_due();
  void read_goals();
  void finish_playouts();
  // Calls for the lanes in spans of as many as go on together.
  template <typename Call>
  void for_each_wave(const Mask& lanes, const Call& call);
  // Reports of lanes, `report(lane)` answering with a task; then all descents that follow, one stage of each in turn:
  // while one looks at its node, the nodes of the others are on their way from memory.
  template <typename Report>
  void report_all(std::span<const int> lanes, const Report& report);
  void report_arrivals();
  void report_lists();
  void draw_playouts();
  // Where a player counts all moves: what lanes chose and what was drawn for them.
  void note_played();
  void make_moves();
  void check_long_playouts();
  // The task at the end of a descent.
  LaneTask descended(int lane, LaneTask task);
  // Carries out a task, and wakes the lanes of the match that rest where a search has begun.
  void deliver(int lane, LaneTask task);
  void apply(int lane, LaneTask task);
  void load(int lane, bool placing);
  // Keeps the move that the match or its search has chosen, until the lane makes it.
  void take_joint(int lane);
  const std::int32_t* joint_of(int lane) const { return joints_.data() + lane * circuit_.n_roles; }
  void order_starts();
  void measure_starts(std::size_t first, std::size_t last, std::vector<std::int32_t>& lengths);
  void start_match(int group);
  void end_match(int group);
  int group_of(int lane) const { return lane / group_size_; }
  int place_of(int lane) const { return lane % group_size_; }  // in its group
  Match& match_of(int lane) { return *groups_[group_of(lane)].match; }
  const std::int32_t* goals_of(int lane) const { return goals_.data() + lane * circuit_.n_roles; }
  const std::uint64_t* state_of(int lane) const { return states_.data() + static_cast<std::size_t>(lane) * words_; }

  std::span<const Player> players_;
  const Circuit& circuit_;
  LaneEngine& engine_;
  std::size_t words_;  // of a state
  int group_size_;
  std::vector<Lane> lanes_;
  SearchMemory memory_;
  std::vector<Group> groups_;
  Lanes now_;
  Lanes next_;
  Ended ended_;
  Mask terminal_;
  Mask ready_;                          // lanes that show their state: in the turn that was evaluated
  Mask placing_;                        // positions of matches whose legal moves are asked for
  Mask asked_;                          // scratch: what the engine is asked to read or list
  std::vector<int> reporting_;          // scratch: lanes that report
  std::vector<Descending> descending_;  // scratch: lanes whose playouts are on their way down
  std::vector<std::int32_t> joints_;    // [lanes, n_roles] of lanes that move or draw
  std::vector<std::uint64_t> states_;   // [lanes, words]
  LegalLists lists_;
  bool counts_moves_;                  // some player does, of all moves of playouts
  bool draws_by_knowledge_;            // some player does, in playouts: looks at states there
  LegalLists played_;                  // where that is so: moves of the playouts in progress
  std::vector<std::int32_t> goals_;    // [lanes, n_roles] of lanes that show a terminal state
  std::vector<Workspace> workspaces_;  // [player]
  std::span<const MatchStart> starts_;
  std::vector<std::size_t> order_;  // in which they begin
  std::size_t started_ = 0;
  std::vector<MatchHistory> histories_;
  ArenaProgress progress_;
  Work moves_;  // of playouts
  StageClock clock_;
};

// Lanes of a match: as many as its players ever have playouts in flight.
int lanes_of_match(std::span<const Player> players);

// The narrowest width that has so many lanes, or the widest: 64, 128, 256 or 512.
int width_for(std::size_t lanes);

}  // namespace gdl
