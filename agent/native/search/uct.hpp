// One search by UCT: the tree of one player in one match, and the playouts it has in flight. uct.cpp explains how the
// steps of UCT become tasks of lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "circuit/legal_rows.hpp"
#include "hardware/prefetch.hpp"
#include "lanes/afterstates.hpp"
#include "search/flight.hpp"
#include "search/player_spec.hpp"
#include "search/root_result.hpp"
#include "search/search_budget.hpp"
#include "search/tree.hpp"
#include "search/workspace.hpp"

namespace gdl {

// The result of a search depends on the rules, its player and its seeds alone, not on other searches. Playouts in
// flight are numbered, and each has a lane.
class alignas(CACHE_LINE) UctSearch {
 public:
  // Searches for a role. The other arguments must outlive the search.
  UctSearch(const Circuit& circuit, const PlayerSpec& player, Workspace& workspace, int role, std::uint64_t seed);

  // Prepares to search a state; resume() starts a playout. `rows`: the legal rows of all roles; `last_rows` [n_roles]:
  // the joint move that led here, nullptr at the start of a match; `now`: seconds on a clock that never goes back.
  void begin(const std::uint64_t* state, const std::int32_t* last_rows, std::span<const std::int32_t> rows,
             std::uint64_t seed, double now);

  // The steps of a playout; each answers with the next task of the lane. `goals` [n_roles] is nullptr where the state
  // is not terminal. `derived`: the packed derived facts of the state, where looks_at_new_states() or looks_at_opened()
  // asks for them.
  LaneTask resume(int flight, double now) { return start_playout(flights_[flight], now); }
  LaneTask select(Flight& flight, double now);
  LaneTask expand(int flight, const std::uint64_t* state, std::span<const std::uint64_t> derived,
                  const std::int32_t* goals, double now);
  LaneTask open(int flight, std::span<const std::int32_t> rows, std::span<const std::uint64_t> derived, double now);
  // `position`: the place among the afterstates of valued_position().
  LaneTask value_moves(int flight, const Afterstates& found, std::size_t position, std::span<const std::int32_t> rows,
                       double now);
  LaneTask back_up(int flight, const std::int32_t* goals, double now);

  // The moves to be valued: those of the role that chooses, among all legal `rows`. Fills the joint move of the others.
  PositionMoves valued_position(int flight, std::span<const std::int32_t> rows);

  // Whether expand() needs the derived facts of the state, because it values new nodes by themselves.
  bool looks_at_new_states() const {
    return leaf_use_->nodes && !leaf_use_->moves && workspace_.leaves.look_at_derived();
  }
  // Whether open() needs the derived facts of the state, because it has no moves of a single role to value instead.
  // `rows`: its legal rows.
  bool looks_at_opened(int flight, std::span<const std::int32_t> rows) {
    return leaf_use_->moves && workspace_.leaves.look_at_derived() &&
           tree_.node(flights_[flight].at).kind == NodeKind::Leaf && tree_.chooser_of(rows) == SEVERAL_CHOOSERS;
  }

  // Whether selections of playouts in flight may take turns at their nodes. Where the budget is a number of playouts,
  // one is followed to its end before the next begins, so that results do not depend on other searches.
  bool takes_turns() const { return flights_.size() == 1 || player_.playouts == 0; }

  // The kind of moves that simulations prefer, or NO_PREFERENCE.
  std::size_t preference() const { return player_.preference; }
  // Simulation. Whether the search draws the next joint move by knowledge; else the lane draws it uniformly.
  // draw_moves() leaves the joint move in joint().
  bool draws_next(int flight) const { return flights_[flight].draws_left > 0; }
  void draw_moves(int flight, const std::uint64_t* state, std::span<const std::int32_t> rows);

  // The data that a lane needs for its task.
  const std::uint64_t* state(int flight) const { return tree_.state(flights_[flight].at); }
  const std::vector<std::int32_t>& joint(int flight) const { return flights_[flight].joint; }
  std::uint64_t lane_seed(int flight) const { return flights_[flight].lane_seed; }
  bool has_lane(int flight) const { return static_cast<std::size_t>(flight) < flights_.size(); }
  Flight& flight(int number) { return flights_[static_cast<std::size_t>(number)]; }

  // Forgets the playouts in flight as if they had never begun.
  void abandon();

  // Whether begin() was called since the search was made or put to rest. Results belong to the state given to begin().
  bool begun() const { return root_ != NO_NODE; }
  void rest() { root_ = NO_NODE; }

  // Visits include playouts in flight until the search is done or abandoned.
  RootResult result() const { return {tree_, workspace_.solver, root_}; }
  std::int64_t playouts() const { return budget_.playouts(); }
  int in_flight() const { return active_; }
  // The rows of a role's root moves that count a visit of a playout in flight, one for each such visit.
  std::vector<std::int32_t> root_rows_in_flight(int role) const;
  std::int64_t nodes_added() const { return nodes_added_; }  // by all searches of the match
  const Tree& tree() const { return tree_; }

  // Fetch the memory that a step reads while other searches go on. Called before select():
  void prefetch_selection() const;
  // Called before expand(), in this order. look_up() is needed, because it hashes the state.
  void look_up(int flight, const std::uint64_t* state);
  void prefetch_found(int flight) const { tree_.prefetch_found(flights_[flight].hash); }
  // Called before back_up(): prefetch() for the search, then the rounds from 0, each of which reads memory that the
  // round before has fetched.
  static constexpr int BACK_UP_ROUNDS = 3;
  void prefetch() const;
  void prefetch_back_up(int flight, int round) const;

 private:
  LaneTask start_playout(Flight& flight, double now);

  // Select.
  LaneTask follow_link(Flight& flight);
  LaneTask go_on(Flight& flight, double now);
  LaneTask leave_tree(Flight& flight);
  bool enter(Flight& flight, NodeId id);
  void rank_moves(Flight& flight);
  void choose_moves(Flight& flight);
  void find_joint(Flight& flight) const;

  // Expand.
  void link(const Flight& flight, NodeId child);
  void open_node(NodeId id, std::span<const std::int32_t> rows);
  std::uint64_t oldest_start() const;

  // Value.
  LaneTask value_state(Flight& flight, const std::uint64_t* state, std::span<const std::uint64_t> derived, double now);
  LaneTask take_values(Flight& flight, double now);

  // Back up.
  void count(Flight& flight, const std::int32_t* goals);

  std::size_t offset_of_rarely_read() const {
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&tree_seed_) -
                                    reinterpret_cast<const std::byte*>(this));
  }

  // The members that selection reads come first, in one cache line, then those that every other step reads.
  const Circuit& circuit_;
  Workspace& workspace_;
  std::uint32_t ranking_visits_;
  bool solves_;
  bool root_waits_ = false;            // whether the moves of the root are still to be valued
  const LeafUse* leaf_use_ = nullptr;  // in this search
  Selection* selection_;
  std::vector<Flight> flights_;
  NodeId root_ = NO_NODE;
  int active_ = 0;  // playouts in flight
  std::uint64_t seed_ = 0;
  SearchBudget budget_;
  std::int64_t nodes_added_ = 0;
  std::int64_t drawn_moves_;
  TreeContents contents_;
  Tree tree_;
  std::uint64_t tree_seed_;
  int role_;  // the role that searches
  const PlayerSpec& player_;
  std::vector<std::int32_t> root_last_rows_;  // empty at the start of a match
};

}  // namespace gdl
