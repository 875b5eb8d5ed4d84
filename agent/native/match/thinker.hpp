// One role's search against a clock: its tree is kept from move to move, and another thread may end it at any time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "hardware/published.hpp"
#include "lanes/lane_engine.hpp"
#include "match/arena.hpp"
#include "search/player_spec.hpp"
#include "search/uct.hpp"

namespace gdl {

// The limits of thinking, which ends at the first that is reached.
struct ThinkingLimits {
  std::int64_t playouts = 0;  // 0: no limit
  double seconds = 0;         // 0: no limit
};

// The statistics of the position in the tree. `rows` is empty if its moves were not listed in time.
struct Thoughts {
  std::vector<std::int32_t> rows;      // [n_moves] legal moves of the role, ascending
  std::vector<std::int64_t> visits;    // [n_moves] playouts that chose the move, including those of earlier searches
  std::vector<std::int64_t> payoffs;   // [n_moves] sum of the goals of the role over these playouts
  std::vector<std::int64_t> verdicts;  // [n_moves] 1: proven best, -1: proven worst, 0: neither
  bool solved = false;                 // whether the goals of the position are proven
  std::int64_t playouts = 0;           // playouts of this search that have ended
  std::uint32_t nodes = 0;             // states in the transposition table
  std::size_t bytes = 0;               // size of the transposition table
};

class Thinker {
 public:
  // The circuit must outlive the thinker. `of_search` are the programs with the preferences of the player. The budgets
  // of the player are ignored.
  Thinker(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
          std::shared_ptr<const ProgramSet> of_search, PlayerSpec player, int role);

  const Circuit& circuit() const { return circuit_; }

  // Searches a state that is not terminal; `last_rows` [n_roles] is the joint move that led to it, empty at the start
  // of a match. Playouts in flight at the end of the time are forgotten, so thinking ends at most one step of the lanes
  // late.
  Thoughts think(std::span<const std::uint64_t> state, std::span<const std::int32_t> last_rows, std::uint64_t seed,
                 ThinkingLimits limits);

  // The statistics of a state, at most some milliseconds old, without the playouts in flight. `rows` is empty unless
  // the last search that has begun searches this state; its playouts count if it has this seed. One thread at a time
  // may call this, also while another one thinks; it never waits.
  Thoughts known(std::span<const std::uint64_t> state, std::uint64_t seed);

  // The joint moves [moves, n_roles] that the last search expects when the role moves `first`; at most `longest`.
  std::vector<std::int32_t> line(std::int32_t first, std::size_t longest) const;

  // May be called from any thread. While `stopped` is true, thinking ends at its next step.
  void set_stopped(bool stopped) { stopped_ = stopped; }
  bool stopped() const { return stopped_; }

 private:
  // Thoughts and the search that they belong to.
  struct SearchThoughts {
    std::vector<std::uint64_t> state;
    std::uint64_t seed = 0;
    Thoughts thoughts;
  };

  Thoughts thoughts() const;
  void publish(std::span<const std::uint64_t> state, std::uint64_t seed, const Thoughts& found) {
    published_.publish({{state.begin(), state.end()}, seed, found});
  }

  const Circuit& circuit_;
  int role_;
  std::vector<PlayerSpec> players_;  // the player that searches, and one for the other seats
  std::vector<std::int32_t> seats_;
  std::unique_ptr<LaneEngine> engine_;
  Arena arena_;
  std::vector<std::unique_ptr<UctSearch>> searches_;  // [n_roles]
  std::atomic<bool> stopped_ = false;
  Published<SearchThoughts> published_;
};

}  // namespace gdl
