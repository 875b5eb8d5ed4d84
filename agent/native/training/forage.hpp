// A forage: every player of a population plays some games against players of the other roles, hundreds in lock-step,
// and learns from each of its games (Sharma 2009, algorithm 8).
//
// The opponents of a player have the weights that they had when the forage began. What a player learns therefore
// depends on nothing that others learn meanwhile, and a forage can be cut into parts in any way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/afterstates.hpp"
#include "lanes/lane_engine.hpp"
#include "random/draws.hpp"
#include "training/ant_learner.hpp"
#include "training/belief_space.hpp"
#include "training/landscape.hpp"
#include "values/afterstate_value.hpp"

namespace gdl {

struct ForageSettings {
  int at_once = 64;                 // 64, 128, 256 or 512 games
  double exploration = 0;           // share of a player's own moves drawn at random
  double opponent_exploration = 0;  // share of its opponents' moves drawn at random
  std::int32_t move_limit = 0;      // moves after which a game is broken off
  StepRule rule = StepRule::Even;
  double trace = 0;
  std::vector<double> steps;  // [game] of a player's games
  std::uint64_t seed = 0;
};

// A player that forages, by its number in the population.
struct Ant {
  std::int32_t player = 0;
  std::int32_t role = 0;
  std::vector<std::int32_t> seats;  // [game, n_roles] players; that of its own role is itself
  LearnedWeights start;
};

// The result of one game.
struct ForagedGame {
  std::vector<std::int32_t> goals;    // [n_roles] -1 if it was broken off
  std::vector<std::uint64_t> states;  // [moves, words] that the ant moved to, without a terminal one
};

struct ForageTotals {
  std::int64_t moves = 0;
  std::int64_t broken_off = 0;
};

// A player takes a move that ends the game with the largest goal; else the move to the state that its role believes in
// most; else one that is worth most, of several one at random. Worth is the value of the afterstate, times pheromone
// and desirability where there is a landscape. Where several roles choose at once, each judges its moves beside moves
// of the others drawn at random.
class Forage {
 public:
  // `weights`: [player, n_weights]. Everything given must outlive this object. Throws std::invalid_argument where sizes
  // do not fit.
  Forage(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, const ValueNetwork& network,
         std::span<const float> weights, std::span<const Ant> ants, const Landscape& landscape,
         const BeliefSpace& beliefs, const ForageSettings& settings);

  // Plays all games. `poll` is called at every step; an exception ends run().
  ForageTotals run(const std::function<void()>& poll);

  const std::vector<ForagedGame>& games() const { return games_; }  // [ant * games of each + game]
  const AntLearner& learner(std::size_t ant) const { return *learners_[ant]; }
  const Deposits& deposits() const { return deposits_; }

 private:
  // The game that a lane plays.
  struct LaneGame {
    bool plays = false;
    std::size_t ant = 0;
    std::size_t number = 0;  // among the games of the ant
    Draws draws;
    std::int32_t moves = 0;
    ForageRecord record;
    std::vector<std::int32_t> joint;
    bool expects = false;  // whether the next state is one that the ant moved to
    bool explores = false;
  };
  // A role that chooses in a game, and its position among those asked about.
  struct RoleChoice {
    int lane;
    std::int32_t role;
  };

  void check() const;
  std::size_t games_each() const { return settings_.steps.size(); }
  const std::int32_t* seats(const LaneGame& game) const;
  void start(int lane);
  void begin_game(int lane);
  void end_games();
  void finish(LaneGame& game, bool ended);
  void ask(int lane);
  void choose();
  std::int32_t best_row(std::size_t position, LaneGame& game);
  double worth(std::int32_t role, const Afterstate& after, std::int32_t row, AfterstateValue<float, double>& values);
  double belief(std::int32_t role, const Afterstate& after, const std::uint64_t* state);

  const Circuit& circuit_;
  const ValueNetwork& network_;
  std::span<const Ant> ants_;
  const BeliefSpace& beliefs_;
  const ForageSettings& settings_;
  std::unique_ptr<LaneEngine> engine_;
  Afterstates afterstates_;
  std::vector<float> weights_;                                             // [player, room]
  std::vector<std::unique_ptr<AntLearner>> learners_;                      // [ant]
  std::vector<std::unique_ptr<AfterstateValue<float, double>>> values_;    // [player] as the forage began
  std::vector<std::unique_ptr<AfterstateValue<float, double>>> learning_;  // [ant] as it learns
  std::vector<std::unique_ptr<LandscapeOfRole>> landscape_;                // [role], empty if there is none
  std::vector<std::int32_t> largest_goal_;                                 // [role]
  std::vector<std::uint64_t> initial_;
  std::vector<LaneGame> lanes_;
  std::vector<ForagedGame> games_;
  Deposits deposits_;
  ForageTotals totals_;
  std::size_t next_ant_ = 0, finished_ = 0;
  LegalLists legal_;
  std::vector<std::uint64_t> states_;   // [lane, words]
  std::vector<std::uint64_t> derived_;  // [lane, words of derived facts]
  std::vector<std::uint64_t> after_;    // [words]
  std::vector<std::int32_t> goals_;     // [n_roles]
  std::vector<RoleChoice> choices_;
  std::vector<PositionMoves> positions_;  // [choice]
};

}  // namespace gdl
