// Many games that a program steps through together: a vectorised environment. Implemented once per instruction set
// (environment_lanes.hpp).
//
// A step makes a joint move in every game that is not over and evaluates the circuit once; all that can be asked about
// the states is read out of that evaluation. A game that is over shows its last state until it begins anew.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "circuit/circuit.hpp"
#include "program/program_set.hpp"

namespace gdl {

// Thrown for an action that its role cannot make in the state of its game: its place in the array of actions.
struct IllegalAction : std::runtime_error {
  IllegalAction(std::size_t in_game, std::size_t in_column)
      : std::runtime_error("an action is not legal"), game(in_game), column(in_column) {}
  std::size_t game, column;
};

struct EnvironmentOptions {
  std::size_t n = 0;  // games
  int period = 1;     // games begin anew at steps whose number is a multiple of this, so that all are in the same turn
  std::vector<std::int32_t> waits;  // [role] the row of its move `noop`, or -1
};

class Environments {
 public:
  // Draw in the place of an action.
  static constexpr std::int32_t DRAWN = -1;

  virtual ~Environments() = default;

  virtual const char* instruction_set() const = 0;
  // Moves made, and games that came to their end, since the object was made.
  virtual std::uint64_t moves() const = 0;
  virtual std::uint64_t games() const = 0;

  // Begins all games anew. Game i has the random stream of hash_combine(seed, i).
  virtual void reset(std::uint64_t seed) = 0;
  // [n] which games begin anew when they are over; all do at first.
  virtual void renew(const std::uint8_t* games) = 0;
  // Puts packed states, [n, state_words], into the games, which are then at a step whose number is `phase` modulo the
  // period. Random streams go on.
  virtual void place(const std::uint64_t* states, int phase) = 0;

  // Makes the joint moves of `actions`, [n, columns] rows: a row for each role, or one row of any role. The moves of
  // roles without a row, or with DRAWN, are drawn; a single legal move needs no draw. Those of games that are over are
  // not read. Throws IllegalAction before anything has changed, RuleViolation where a role has no legal move.
  virtual void step(const std::int32_t* actions, std::size_t columns) = 0;
  // Draws all moves of so many steps. `stop` is asked at least every 100 ms, and ends them early. Throws RuleViolation.
  virtual void step_random(std::uint64_t steps, bool (*stop)()) = 0;
  // Draws the moves that step_random() would make, to [n, n_roles] rows, DRAWN in games that are over.
  virtual void draw(std::int32_t* actions) = 0;

  // [n] whether the game is over.
  virtual void terminated(std::uint8_t* out) const = 0;
  // [n, n_roles] the goals of games that came to their end in the last step, 0 where the rules give none; 0 in others.
  virtual void rewards(std::int32_t* out) = 0;
  // [n, n_roles] the roles that have a choice. Where none has, the first whose only move is no `noop`, or the first.
  virtual void to_move(std::uint8_t* out) const = 0;
  // [n, last - first] which rows are legal; none where the game is over.
  virtual void legal(std::int32_t first, std::int32_t last, std::uint8_t* out) const = 0;
  // [n, fluents.size()] which fluents hold; a negative number stands for one that never does.
  virtual void facts(std::span<const std::int32_t> fluents, std::uint8_t* out) const = 0;
  // [n, state_words] the packed states.
  virtual void states(std::uint64_t* out) const = 0;
};

// There is at least one game. The circuit must outlive the object. Throws std::invalid_argument for other instruction
// sets.
std::unique_ptr<Environments> make_environments(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                                EnvironmentOptions options, const std::string& isa);

}  // namespace gdl
