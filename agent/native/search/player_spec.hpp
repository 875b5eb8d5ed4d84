// The specification of a player: how it searches, with what knowledge and for how long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "program/decisive_moves.hpp"
#include "scoring/scorer.hpp"
#include "search/tree.hpp"
#include "values/value_function.hpp"

namespace gdl {

enum class PlayerKind : std::uint8_t { Uct, Random };

// The exploration term that an informed role adds to the mean payoffs of its moves.
enum class ExplorationKind : std::uint8_t { Ucb, Puct };

// How the term of UCB1 grows with the visits of a node. Deep is Log up to the visits at which both are equal, then
// Root.
enum class UctGrowth : std::uint8_t { Log, Root, Deep };

// Python sets every parameter of a search (agent/knowledge/parameters.py); the zeros here are no defaults.
struct SelectionParameters {
  double uct_c = 0;  // in units of goals, 0..100
  UctGrowth uct_growth = UctGrowth::Log;
  double first_play_urgency = 0;  // goals that a move never visited is above the mean of its node; 100: it comes first
  std::vector<bool> informed;     // [role] whether knowledge orders and biases the moves of the role
  ExplorationKind exploration = ExplorationKind::Ucb;
  double puct_c = 0;           // in units of goals
  double bias = 0;             // goals added to a move of prior 1 that was never visited
  double fade = 0;             // the bias of a move visited n times is divided by (n + 1)^fade
  bool widening = false;       // progressive widening, for informed roles
  double widening_visits = 0;  // visits of a node from which only the best moves take part
  std::int32_t widening_moves = 0;
  double widening_growth = 0;  // growth of the visits at which one more move takes part
};

inline constexpr std::size_t NO_PREFERENCE = std::numeric_limits<std::size_t>::max();

struct PlayerSpec {
  PlayerKind kind = PlayerKind::Uct;
  SelectionParameters selection;
  bool solves = false;                    // whether goals are proven in the tree
  double expansions = 0;                  // nodes added per playout
  const Scorer* scorer = nullptr;         // nullptr: UCT without knowledge
  double opponent_knowledge = 0;          // share of the moves of other roles that knowledge draws in simulations
  std::uint32_t scoring_visits = 0;       // visits of a node from which knowledge ranks its moves
  const ValueFunction* values = nullptr;  // nullptr: playouts alone tell what a state is worth
  double value_weight = 0;                // of the value of a new node; a playout has the rest
  std::uint32_t experience = 0;           // visits that the value of a move counts as; 0: moves are not valued
  std::int64_t trusted_playouts = 0;      // of the longest search that trusts values alone; 0: any search does
  std::int64_t valued_playouts = 0;       // of the longest search that uses values at all; 0: any search does
  std::int64_t playout_moves = 0;         // joint moves of a simulation that knowledge draws
  DecisiveMoves decisive_moves = DecisiveMoves::Off;  // that playouts prefer; never Auto where a search reads it
  std::size_t preference = NO_PREFERENCE;             // the kind of these preferences among those of the programs
  double mixed_share = 1;  // of the most visits that a move drawn needs, where several roles choose; 1: none is drawn
  std::int64_t playouts = 0;  // budget per move; 0: `seconds` is the budget
  double seconds = 0;         // budget per move, with which results are not reproducible
  int in_flight = 1;          // playouts at once
  bool draws_moves = false;   // whether matches go on with a move drawn by the visits
  TreeLimits limits;
};

}  // namespace gdl
