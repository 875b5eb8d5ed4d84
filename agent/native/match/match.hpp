// One match played in lanes: its seats, the moves made, and the search of the role that thinks. A match owns a lane for
// each playout that may be in flight at once. Roles think one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "circuit/circuit.hpp"
#include "hardware/prefetch.hpp"
#include "lanes/afterstates.hpp"
#include "search/flight.hpp"
#include "search/player_spec.hpp"
#include "search/uct.hpp"

namespace gdl {

struct MatchStart {
  std::uint64_t seed = 0;
  const std::uint64_t* state = nullptr;     // packed
  const std::int32_t* last_rows = nullptr;  // [n_roles] the joint move that led to the state, nullptr at the start
  std::span<const std::int32_t> seats;      // [n_roles] index of a player
  std::int32_t move_limit = 0;              // joint moves after which the match is broken off; 0: no limit
  // Joint moves at the beginning that are drawn at random. They depend on the seed alone, not on the players.
  std::int32_t opening_plies = 0;
  // [n_roles] searches of an earlier part of the match, whose trees go on growing; empty: the match makes new ones.
  std::span<std::unique_ptr<UctSearch>> searches = {};
  bool search_always = false;  // whether a role with a single move searches too
};

// Every step is a state; all but the last have a joint move. Goals are -1 if the match was broken off.
struct MatchHistory {
  std::vector<std::uint64_t> states;       // [steps, words]
  std::vector<std::int32_t> moves;         // [steps, n_roles] -1 in the last step
  std::vector<std::int32_t> goals;         // [n_roles]
  std::vector<std::int64_t> visit_end;     // [steps] end of the visits of the step, in the three arrays below
  std::vector<std::int32_t> visit_row;     // root moves of the roles that searched
  std::vector<std::int32_t> visit_count;   // playouts that chose the move, including those of earlier searches
  std::vector<std::int64_t> visit_payoff;  // sum of the goals of the role over these playouts
  std::vector<std::int64_t> playouts;      // [n_roles]
  std::vector<std::int64_t> nodes_added;   // [n_roles]
  std::vector<std::int64_t> nodes_held;    // [n_roles] at the end of the role's last search
};

// A direct handle on the selection of a playout. Reaching it through match and search would take as long as a stage of
// the selection.
class SelectionHandle {
 public:
  SelectionHandle(UctSearch& search, Flight& flight) : search_(&search), flight_(&flight) {}

  LaneTask go_on(double now) const { return search_->select(*flight_, now); }
  // Fetches the memory that the next stage reads.
  void prefetch() const {
    flight_->prefetch();
    search_->prefetch_selection();
  }

 private:
  UctSearch* search_;
  Flight* flight_;
};

// Selections of many playouts, a stage of each in turn.
// While one selection looks at its node, the nodes of the others are on their way from memory.
class SelectionRounds {
 public:
  void clear() { selecting_.clear(); }
  void add(int lane, SelectionHandle selection) { selecting_.push_back({selection, lane}); }

  // Follows all selections to their ends and calls end(lane, task) with the task that each ended with.
  template <typename End>
  void run(double now, const End& end) {
    while (!selecting_.empty()) {
      std::size_t left = 0;
      for (std::size_t place = 0; place < selecting_.size(); ++place) {
        if (place + AHEAD < selecting_.size()) selecting_[place + AHEAD].selection.prefetch();
        const auto [selection, lane] = selecting_[place];
        const LaneTask task = selection.go_on(now);
        if (task == LaneTask::Select) {
          selecting_[left++] = selecting_[place];
        } else {
          end(lane, task);
        }
      }
      selecting_.erase(selecting_.begin() + static_cast<std::ptrdiff_t>(left), selecting_.end());
    }
  }

 private:
  struct Selecting {
    SelectionHandle selection;
    int lane;
  };

  // Selections whose search is fetched from farther caches into the nearest before their turn.
  static constexpr std::size_t AHEAD = 4;

  std::vector<Selecting> selecting_;
};

class LaneMatch {
 public:
  LaneMatch(const Circuit& circuit, std::span<const PlayerSpec> players, std::span<Workspace> workspaces,
            const MatchStart& start);

  // The lanes of the match are numbered. The first task is ShowPosition, for lane 0; the others rest. Each report
  // returns the next task of its lane. `goals` is nullptr if the state is not terminal.
  LaneTask place(int lane, const std::uint64_t* state, const std::int32_t* goals, std::span<const std::int32_t> rows,
                 double now);
  LaneTask select(int lane, double now) { return pursue(lane, selection(lane).go_on(now), now); }
  LaneTask expand(int lane, const std::uint64_t* state, std::span<const std::uint64_t> derived,
                  const std::int32_t* goals, double now);
  LaneTask open(int lane, std::span<const std::int32_t> rows, std::span<const std::uint64_t> derived, double now);
  LaneTask value_moves(int lane, const Afterstates& found, std::size_t position, std::span<const std::int32_t> rows,
                       double now);
  LaneTask back_up(int lane, const std::int32_t* goals, double now);
  LaneTask resume(int lane, double now);
  // See UctSearch.
  bool takes_turns() const { return thinker_->takes_turns(); }
  // The selection of a lane, and the next task of the lane after its search returned `task`.
  SelectionHandle selection(int lane) const { return {*thinker_, thinker_->flight(lane)}; }
  LaneTask pursue(int lane, LaneTask task, double now);
  // Whether a search began since the last call. If so, the lanes that rest must resume().
  bool take_wake() { return std::exchange(wake_, false); }

  // See UctSearch.
  bool looks_at_new_states() const { return thinker_->looks_at_new_states(); }
  bool looks_at_opened(int lane, std::span<const std::int32_t> rows) { return thinker_->looks_at_opened(lane, rows); }
  PositionMoves valued_position(int lane, std::span<const std::int32_t> rows) {
    return thinker_->valued_position(lane, rows);
  }

  // Simulation; see UctSearch.
  std::size_t preference() const { return thinker_->preference(); }
  bool draws_next(int lane) const { return thinker_->draws_next(lane); }
  void draw_moves(int lane, const std::uint64_t* state, std::span<const std::int32_t> rows) {
    thinker_->draw_moves(lane, state, rows);
  }

  // Called before expand(); see UctSearch.
  void look_up(int lane, const std::uint64_t* state) { thinker_->look_up(lane, state); }
  void prefetch_found(int lane) const { thinker_->prefetch_found(lane); }
  // Called before back_up(): prefetch() for the match, then the rounds from 0.
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
  // Lets the roles from `role` on choose, up to the first whose search needs the lane.
  LaneTask decide(int lane, int role, double now);
  void conclude();

  UctSearch* thinker_ = nullptr;  // search of the role that thinks, or nullptr
  int thinking_ = -1;             // the role that thinks, or -1
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
  std::vector<std::unique_ptr<UctSearch>> own_searches_;  // [n_roles], empty if the start has searches
  std::span<std::unique_ptr<UctSearch>> searches_;        // [n_roles]
  MatchHistory history_;
};

}  // namespace gdl
