// One match: seats, moves made, and the search of whoever thinks. It owns a lane for each playout
// that may be in flight at once; roles think one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "circuit/circuit.hpp"
#include "hardware/prefetch.hpp"
#include "search/lane_task.hpp"
#include "search/player_spec.hpp"
#include "search/uct.hpp"

namespace gdl {

struct MatchStart {
  std::uint64_t seed = 0;
  const std::uint64_t* state = nullptr;     // packed
  const std::int32_t* last_rows = nullptr;  // [n_roles] the joint move that led to the state, nullptr at the start
  std::span<const std::int32_t> seats;      // [n_roles] index of a player
  std::int32_t move_limit = 0;              // joint moves after which the match is broken off; 0: none
  // [n_roles] trees of an earlier part of the match, which go on growing; empty: new ones.
  std::span<std::unique_ptr<UctSearch>> searches = {};
  bool search_always = false;  // also for a role that has one move only
};

// Steps are states; all but the last have a joint move. Goals are -1 where the match was broken off.
struct MatchHistory {
  std::vector<std::uint64_t> states;       // [steps, words]
  std::vector<std::int32_t> moves;         // [steps, n_roles] -1 in the last step
  std::vector<std::int32_t> goals;         // [n_roles]
  std::vector<std::int64_t> visit_end;     // [steps] into the three below
  std::vector<std::int32_t> visit_row;     // root moves of the roles that searched
  std::vector<std::int32_t> visit_count;   // playouts that chose them, those of earlier searches included
  std::vector<std::int64_t> visit_payoff;  // sum of the role's goals over them
  std::vector<std::int64_t> playouts;      // [n_roles]
  std::vector<std::int64_t> nodes_added;   // [n_roles]
  std::vector<std::int64_t> nodes_held;    // [n_roles] at the end of the role's last search
};

// A playout in its selection, at hand: to go through match and search for it takes as long as a stage of its way.
class Selection {
 public:
  Selection(UctSearch& search, Flight& flight) : search_(&search), flight_(&flight) {}

  LaneTask go_on(double now) const { return search_->select(*flight_, now); }
  // Fetches what the next stage reads.
  void prefetch() const {
    flight_->prefetch();
    search_->prefetch_selection();
  }

 private:
  UctSearch* search_;
  Flight* flight_;
};

class LaneMatch {
 public:
  LaneMatch(const Circuit& circuit, std::span<const PlayerSpec> players, std::span<Workspace> workspaces,
            const MatchStart& start);

  // Lanes of the match are numbered. The first task is ShowPosition, for lane 0; the others rest. Each report answers
  // with the next task of its lane; `goals` is nullptr where the state is not terminal.
  LaneTask place(int lane, const std::uint64_t* state, const std::int32_t* goals, std::span<const std::int32_t> rows,
                 double now);
  LaneTask select(int lane, double now) { return pursue(lane, selection(lane).go_on(now), now); }
  LaneTask expand(int lane, const std::uint64_t* state, const std::int32_t* goals, double now);
  LaneTask open(int lane, std::span<const std::int32_t> rows, double now);
  LaneTask back_up(int lane, const std::int32_t* goals, double now);
  LaneTask resume(int lane, double now);
  // The selection of a lane, and the next task of the match where it ended with `task`.
  Selection selection(int lane) const { return {*thinker_, thinker_->flight(lane)}; }
  LaneTask pursue(int lane, LaneTask task, double now);
  // Whether a search began since the last call: lanes that rest must resume().
  bool take_wake() { return std::exchange(wake_, false); }

  // Simulation, as in UctSearch.
  bool draws_next(int lane) const { return thinker_->draws_next(lane); }
  void draw_moves(int lane, const std::uint64_t* state, std::span<const std::int32_t> rows) {
    thinker_->draw_moves(lane, state, rows);
  }
  void note_simulation(int lane, std::span<const std::int32_t> rows) { thinker_->note_simulation(lane, rows); }

  // Before expand(), as in UctSearch.
  void look_up(int lane, const std::uint64_t* state) { thinker_->look_up(lane, state); }
  void prefetch_found(int lane) const { thinker_->prefetch_found(lane); }
  // Before back_up(): the match, then in rounds from 0.
  void prefetch() const { __builtin_prefetch(&thinker_); }
  static constexpr int BACK_UP_ROUNDS = UctSearch::BACK_UP_ROUNDS + 1;
  void prefetch_back_up(int lane, int round) const {
    if (round == 0) {
      thinker_->prefetch();
    } else {
      thinker_->prefetch_back_up(lane, round - 1);
    }
  }

  const std::uint64_t* state(int lane) const { return thinker_ ? thinker_->state(lane) : state_.data(); }
  const std::vector<std::int32_t>& joint(int lane) const { return thinker_ ? thinker_->joint(lane) : joint_; }
  std::uint64_t lane_seed(int lane) const { return thinker_ ? thinker_->lane_seed(lane) : 0; }

  MatchHistory& history() { return history_; }

 private:
  std::uint64_t seed_of(int role, std::uint64_t part) const;
  // Lets the roles from `role` on choose, up to the first that needs the lane.
  LaneTask decide(int lane, int role, double now);
  void conclude();

  UctSearch* thinker_ = nullptr;  // of the role that thinks
  int thinking_ = -1;             // this role, or -1: nobody
  bool wake_ = false;
  const Circuit& circuit_;
  std::span<const PlayerSpec> players_;
  std::span<Workspace> workspaces_;  // [player]
  MatchStart start_;
  std::vector<std::uint64_t> state_;
  std::vector<std::int32_t> rows_;       // legal in state_
  std::vector<std::int32_t> last_rows_;  // empty at the start
  std::vector<std::int32_t> joint_;
  std::uint64_t move_number_ = 0;
  std::vector<std::unique_ptr<UctSearch>> own_searches_;  // [n_roles], none where the start brought some
  std::span<std::unique_ptr<UctSearch>> searches_;        // [n_roles]
  MatchHistory history_;
};

}  // namespace gdl
