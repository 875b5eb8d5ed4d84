// One role's search against a clock: its tree is kept from move to move, and another thread may end it at any time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/lane_engine.hpp"
#include "match/arena.hpp"
#include "search/player_spec.hpp"
#include "search/uct.hpp"

namespace gdl {

// Where thinking ends: at whichever comes first.
struct ThinkingLimits {
  std::int64_t playouts = 0;  // 0: none
  double seconds = 0;         // 0: none
};

// What the tree says of the position now; empty rows where not even its moves were listed in time.
struct Thoughts {
  std::vector<std::int32_t> rows;      // [n_moves] legal moves of the role, ascending
  std::vector<std::int64_t> visits;    // [n_moves] playouts that chose the move, those of earlier searches included
  std::vector<std::int64_t> payoffs;   // [n_moves] sum of the role's goals over them
  std::vector<std::int64_t> verdicts;  // [n_moves] 1: proven best, -1: proven worst, 0: neither
  bool solved = false;                 // nothing is left to find out
  std::int64_t playouts = 0;           // of this search
  std::uint32_t nodes = 0;             // states in the transposition table
  std::size_t bytes = 0;               // the table's size
};

class Thinker {
 public:
  // The circuit must outlive the thinker. Budgets of the player are not looked at.
  Thinker(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, PlayerSpec player, int role);

  const Circuit& circuit() const { return circuit_; }

  // Searches a state that is not terminal; `last_rows` [n_roles] led to it, empty at the start of a match. Playouts in
  // flight at the end of the time are forgotten, so the end is never later than a step of the lanes.
  Thoughts think(std::span<const std::uint64_t> state, std::span<const std::int32_t> last_rows, std::uint64_t seed,
                 ThinkingLimits limits);

  // The joint moves [moves, n_roles] that the last search expects when the role moves `first`; at most `longest`.
  std::vector<std::int32_t> line(std::int32_t first, std::size_t longest) const;

  // From any thread: while true, thinking ends at its next step.
  void set_stopped(bool stopped) { stopped_ = stopped; }
  bool stopped() const { return stopped_; }

 private:
  Thoughts thoughts() const;

  const Circuit& circuit_;
  int role_;
  std::vector<PlayerSpec> players_;  // the searching one, and one for the other seats
  std::vector<std::int32_t> seats_;
  std::unique_ptr<LaneEngine> engine_;
  Arena arena_;
  std::vector<std::unique_ptr<UctSearch>> searches_;  // [n_roles]
  std::atomic<bool> stopped_ = false;
};

}  // namespace gdl
