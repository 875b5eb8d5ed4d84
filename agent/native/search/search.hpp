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
#include "hardware/page_source.hpp"
#include "hardware/prefetch.hpp"
#include "random/draws.hpp"
#include "search/all_moves.hpp"
#include "search/budget.hpp"
#include "search/flight.hpp"
#include "search/lane_task.hpp"
#include "search/legal_rows.hpp"
#include "search/ngrams.hpp"
#include "search/player.hpp"
#include "search/ranking.hpp"
#include "search/search_result.hpp"
#include "search/selection.hpp"
#include "search/solver.hpp"
#include "search/tree.hpp"
#include "search/work.hpp"

namespace gdl {

// What all searches within a thread share, whoever plays: the memory of trees, and scratch memory, which then stays in
// the cache.
struct SearchMemory {
  PageSource pages;
  Scorer::Scratch scorer;
  Ranking ranking{scorer};
  std::vector<std::uint32_t> weights;   // [rows of a role]
  std::vector<std::uint32_t> place_of;  // [rows of all roles]
  std::vector<std::int32_t> last_rows;  // [n_roles]
  std::vector<std::int32_t> rows;       // some moves of a role, or a joint move
  std::vector<NGrams::Candidate> candidates;
};

// What the searches of one player share within a thread.
struct Workspace {
  // The memory must outlive the workspace.
  Workspace(const Circuit& circuit, const Player& player, SearchMemory& shared)
      : memory(shared), selection(player.selection, player.mast_temperature), solver(circuit) {
    if (player.scorer != nullptr) player.scorer->fit(memory.scorer);
  }

  SearchMemory& memory;
  Selection selection;
  Solver solver;
  std::int64_t playouts = 0;  // finished, of all searches together
  Work work;
};

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
    flights_[flight].played.assign(rows.begin(), rows.end());
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
  void rank(NodeId id, const std::int32_t* last_rows);
  void follow_order(NodeId id);
  void refer(Flight& flight);
  void back_up(Flight& flight, const std::int32_t* goals);
  void count_moves(const Flight& flight, const std::int32_t* goals);
  // Where n-grams decide: one of several moves of a role that were never visited.
  std::optional<std::uint32_t> recall(Flight& flight, const Edges& edges, int role, bool ranked);
  void note_choice(Flight& flight);
  // Tells the tree of the memory held beside it.
  void count_beside();
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
  std::unique_ptr<MoveAverages> averages_;
  std::unique_ptr<NGrams> ngrams_;
  std::unique_ptr<AllMoves> all_moves_;
  std::uint64_t seed_ = 0;
  Budget budget_;
  std::int64_t nodes_added_ = 0;
  std::int64_t drawn_moves_;  // joint moves of a playout that are not drawn uniformly
  TreeContents contents_;
  std::uint64_t tree_seed_;
  Tree tree_;
  std::vector<std::int32_t> root_last_rows_;  // empty at the start of a match
  MoveContext root_context_;                  // where n-grams are counted
  std::vector<std::int32_t> role_of_row_;     // where all moves are counted
  bool draws_by_knowledge_;
};

}  // namespace gdl
