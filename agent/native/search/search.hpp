// One search: the tree of one player in one match, and the playout it has in flight.
//
// A search says what its lane must do (LaneTask) and is told what the lane then shows. It knows nothing of other
// searches, so its result depends on the rules, its player and its seeds alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "hardware/prefetch.hpp"
#include "random/draws.hpp"
#include "search/budget.hpp"
#include "search/flight.hpp"
#include "search/lane_task.hpp"
#include "search/legal_rows.hpp"
#include "search/player.hpp"
#include "search/policies.hpp"
#include "search/search_result.hpp"
#include "search/solver.hpp"
#include "search/tree.hpp"
#include "search/workspace.hpp"

namespace gdl {

// Playouts in flight are numbered; every one has a lane. With several, a playout counts as a visit from the moment its
// moves are chosen, as one that brought nothing until it ends (virtual loss), so that the next ones go elsewhere.
class alignas(CACHE_LINE) Search {
 public:
  // All given must outlive the search.
  Search(const Circuit& circuit, const Player& player, Workspace& workspace, std::uint64_t seed);

  // Prepares to search a state; resume() starts a playout. `rows`: the legal rows of all roles; `last_rows` [n_roles]:
  // the joint move that led here, nullptr at the start of a match; `now`: seconds on a clock that never goes back.
  void begin(const std::uint64_t* state, const std::int32_t* last_rows, std::span<const std::int32_t> rows,
             std::uint64_t seed, double now);

  // Reports; each answers with the next task. `goals` [n_roles] is nullptr where the state is not terminal.
  LaneTask arrive(int flight, const std::uint64_t* state, const std::int32_t* goals, double now);
  LaneTask list(int flight, std::span<const std::int32_t> rows, double now);
  LaneTask finish(int flight, const std::int32_t* goals, double now);
  LaneTask resume(int flight, double now) { return next_playout(flights_[flight], now); }
  // Goes on down the tree, a stage at a time; before, what every stage reads can be fetched.
  LaneTask descend(Flight& flight, double now);
  void prefetch_descent() const {
    __builtin_prefetch(this);
    prefetch_bytes(&tree_, 2 * CACHE_LINE);
  }
  Flight& flight(int number) { return flights_[static_cast<std::size_t>(number)]; }

  // What a report will read is fetched meanwhile. Before finish(): the search, then in REACH_ROUNDS rounds from 0, each
  // of which reads what the one before fetched. Before arrive(): in two.
  static constexpr int REACH_ROUNDS = 3;
  void prefetch() const { prefetch_bytes(this, offset_of_rarely_read()); }
  void reach(int flight, int round) const;
  void reach_state(int flight, const std::uint64_t* state);
  void reach_found(int flight) const { tree_.prefetch_found(flights_[flight].hash); }

  // Forgets the playouts in flight as if they had never begun.
  void abandon();

  bool has_lane(int flight) const { return static_cast<std::size_t>(flight) < flights_.size(); }

  // Whether the next move of a playout is drawn by knowledge, averages or n-grams (draw_moves), not uniformly by the
  // lanes.
  bool draws_next(int flight) const { return flights_[flight].draws_left > 0; }
  // Draws a joint move; it is in joint() then.
  void draw_moves(int flight, const std::uint64_t* state, std::span<const std::int32_t> rows);

  // Tells of the rows of all joint moves that the lane and draw_moves() made in the playout, before finish().
  void note_played(int flight, std::span<const std::int32_t> rows) {
    for (const auto& each : policies_.statistics) each->note_simulation(flights_[flight], rows);
  }

  const std::uint64_t* state(int flight) const { return tree_.state(flights_[flight].at); }
  const std::vector<std::int32_t>& joint(int flight) const { return flights_[flight].joint; }
  std::uint64_t lane_seed(int flight) const { return flights_[flight].lane_seed; }

  // Whether begin() was called since the search was made or put to rest; results are of the state it was given.
  bool begun() const { return root_ != NO_NODE; }
  void rest() { root_ = NO_NODE; }

  // When Done or abandoned.
  SearchResult result() const { return {tree_, workspace_.solver, root_}; }
  std::int64_t playouts() const { return budget_.playouts(); }
  const Tree& tree() const { return tree_; }
  std::int64_t nodes_added() const { return nodes_added_; }  // by all searches of the match

 private:
  LaneTask next_playout(Flight& flight, double now);
  // The stages of a descent, in turn: to a node that is linked, then on from there.
  LaneTask arrive_at_next(Flight& flight);
  LaneTask go_on(Flight& flight, double now);
  LaneTask leave_tree(Flight& flight);
  // Moves to a node; false where this playout has been there before (rules that do not end every match).
  bool enter(Flight& flight, NodeId id);
  // Links the node where the descent stands, by what was chosen there, to another.
  void link(const Flight& flight, NodeId child);
  void choose(Flight& flight);
  void note_joint(Flight& flight) const;
  void open(NodeId id, std::span<const std::int32_t> rows);
  void back_up(Flight& flight, const std::int32_t* goals);
  std::uint64_t oldest_start() const;
  std::size_t offset_of_rarely_read() const {
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&root_last_rows_) -
                                    reinterpret_cast<const std::byte*>(this));
  }

  // First what every playout reads: its lines of the cache are fetched before it ends.
  const Circuit& circuit_;
  const Player& player_;
  Workspace& workspace_;
  std::vector<Flight> flights_;
  NodeId root_ = NO_NODE;
  int active_ = 0;  // playouts in flight
  std::uint64_t seed_ = 0;
  Budget budget_;
  std::int64_t nodes_added_ = 0;
  std::int64_t drawn_moves_;  // joint moves of a playout that are not drawn uniformly
  std::uint32_t ranking_visits_;
  TreeContents contents_;
  std::uint64_t tree_seed_;
  Tree tree_;
  SearchPolicies policies_;
  std::vector<std::int32_t> root_last_rows_;  // empty at the start of a match
};

}  // namespace gdl
