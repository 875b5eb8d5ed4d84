// Games that a value network plays against itself, hundreds in lock-step, and learns from.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "circuit/circuit.hpp"
#include "hardware/thread_team.hpp"
#include "lanes/afterstates.hpp"
#include "lanes/lane_engine.hpp"
#include "random/draws.hpp"
#include "values/afterstate_value.hpp"
#include "values/value_learner.hpp"

namespace gdl {

struct SelfPlaySettings {
  std::int64_t games = 0;
  int at_once = 64;             // 64, 128, 256 or 512 games
  int threads = 1;              // they value moves side by side, and change no result
  double exploration = 0;       // share of moves drawn at random
  std::int32_t opening = 0;     // a game begins with up to so many moves drawn at random, every number equally likely
  std::int32_t move_limit = 0;  // moves after which a game is broken off
  std::uint64_t seed = 0;
  // No game begins once the choices and the afterstates valued for them have cost so much; 0: no limit.
  double most_work = 0;
  double choice_work = 0;      // cost of a choice of a role, without its afterstates
  double afterstate_work = 0;  // cost of an afterstate
};

struct SelfPlayTotals {
  std::int64_t games = 0;
  std::int64_t moves = 0;
  std::int64_t broken_off = 0;
  std::int64_t choices = 0;      // of roles, those of games that did not end among them
  std::int64_t afterstates = 0;  // valued for these choices
};

// A role chooses the move whose afterstate is worth most to it, one of the best at random; a move that ends the game
// with the largest goal is made even where a random one was due. Where several roles choose at once, each values its
// moves beside moves of the others drawn at random. Where chance moves at the same time, a move is worth its mean over
// moves of chance: over all of them, or over some that are drawn apart from the one that is made, which nobody
// foresees. It ends the game with the largest goal if it does so beside all of them.
class SelfPlay {
 public:
  // Everything given must outlive this object.
  SelfPlay(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, ValueLearner& learner,
           const SelfPlaySettings& settings);

  // Plays all games, or as many as have ended when `goes_on`, which is called at every step, returns false.
  SelfPlayTotals run(const std::function<bool()>& goes_on);

 private:
  struct SelfPlayGame {
    bool plays = false;
    Draws draws;
    std::int32_t opening = 0;  // random moves at its beginning
    GameRecord record;
    std::vector<std::int32_t> joint;
    bool explores = false;  // whether the next moves are drawn at random
  };
  // A role that chooses in a game, and its positions among those asked about, one for each move of chance looked at.
  struct GameChoice {
    int lane;
    std::int32_t role;
    std::size_t first;
    std::size_t positions;
    bool all_chance;  // whether these are all moves of chance
  };

  // A thread values moves with this.
  struct MoveValuer {
    Afterstates afterstates;  // of the positions of its choices
    AfterstateValue<LearnedWeight, double> values;
    std::size_t first_position = 0;  // of its choices, among all positions
    std::vector<double> worths{};    // [move] of a choice
  };

  void start(int lane);
  void end_games();
  void choose();
  // Takes the legal moves of a game, and says which roles choose.
  void ask(int lane);
  // Lists the joint moves beside which roles value their moves where chance moves at the same time. Each is the joint
  // move of the game with another move of chance. Returns whether they have all moves of chance.
  bool list_joints(SelfPlayGame& game, const std::vector<std::int32_t>& rows);
  // Shares the choices out to threads, those of a game to the same one, with about as many afterstates for each.
  void share_choices();
  // Makes the choices of a thread.
  void choose_share(std::size_t thread);
  // The place of the best move, and whether it ends the game with the largest goal.
  std::pair<std::size_t, bool> best(MoveValuer& valuer, const GameChoice& choice, Draws& draws);
  // Finds what the moves of a choice are worth: sums of weights, or values where moves of chance are looked at.
  void value_moves(MoveValuer& valuer, const GameChoice& choice);
  double worth(MoveValuer& valuer, std::int32_t role, const Afterstate& after);
  bool wins(const MoveValuer& valuer, const GameChoice& choice, std::size_t move) const;
  // Returns the cost of all choices so far.
  double work() const;

  const Circuit& circuit_;
  ValueLearner& learner_;
  SelfPlaySettings settings_;
  std::unique_ptr<LaneEngine> engine_;
  ThreadTeam team_;
  std::deque<MoveValuer> valuers_;          // [thread]
  std::vector<std::int32_t> largest_goal_;  // [role]
  std::vector<std::uint64_t> initial_;
  std::vector<SelfPlayGame> games_;  // [lane]
  SelfPlayTotals totals_;
  std::int64_t started_ = 0;
  LegalLists legal_;
  std::vector<std::uint64_t> states_;   // [lane, words]
  std::vector<std::uint64_t> derived_;  // [lane, words of derived facts]
  std::vector<GameChoice> choices_;
  std::vector<PositionMoves> positions_;  // of all choices
  std::vector<std::size_t> shares_;       // [thread + 1] first choice of a thread
  std::vector<std::int32_t> chosen_;      // [choice] row, -1 where the move that was drawn is made
  // Scratch memory: the joint moves of positions, which stay where they are; those of a game, from `first_joint_`.
  std::deque<std::vector<std::int32_t>> joints_;
  std::size_t first_joint_ = 0;
};

}  // namespace gdl
