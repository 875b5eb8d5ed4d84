// Who sits in a seat: how it searches, with what knowledge, for how long.
#pragma once

#include <cstdint>
#include <vector>

#include "scoring/scorer.hpp"
#include "search/tree.hpp"

namespace gdl {

enum class PlayerKind : std::uint8_t { Uct, Random };

// What an informed role adds to the mean payoffs of its moves.
enum class ExplorationKind : std::uint8_t { Ucb, Puct };

// Python sets every parameter of a search (agent/knowledge/parameters.py); the zeros here are no defaults.
struct SelectionParameters {
  double uct_c = 0;            // in units of goals, 0..100
  std::vector<bool> informed;  // [role] knowledge orders and biases the moves of this role
  ExplorationKind exploration = ExplorationKind::Ucb;
  double puct_c = 0;           // in units of goals
  double bias = 0;             // goals added to a move of prior 1 that was never visited
  double fade = 0;             // the bias of a move visited n times is divided by (n + 1)^fade
  bool widening = false;       // progressive widening, for informed roles
  double widening_visits = 0;  // visits of a node from which moves are set aside
  std::int32_t widening_moves = 0;
  double widening_growth = 0;    // each further move returns when the visits have grown by this factor
  double grave_equivalence = 0;  // visits of a move that count as much as any number made elsewhere; 0: those do not
};

struct PlayerSpec {
  PlayerKind kind = PlayerKind::Uct;
  SelectionParameters selection;
  double mast_temperature = 0;       // moves are drawn by their mean goals in the tree; 0: uniformly
  double nst_greed = 0;              // share of moves drawn that are the best by n-grams; 0: none
  std::uint32_t grave_visits = 0;    // playouts through a node from which its own table speaks for it
  bool solves = false;               // proves goals in the tree
  double expansions = 0;             // nodes added per playout
  const Scorer* scorer = nullptr;    // none: bare UCT
  std::uint32_t scoring_visits = 0;  // visits of a node from which its moves are ranked by knowledge
  std::int64_t playout_moves = 0;    // joint moves of a playout that knowledge may draw
  std::int64_t playouts = 0;         // per move; 0: `seconds` decides
  double seconds = 0;                // per move; not reproducible
  int in_flight = 1;                 // playouts at once
  TreeLimits limits;
};

}  // namespace gdl
