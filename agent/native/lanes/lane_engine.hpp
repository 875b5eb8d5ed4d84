// Many games in lock-step, one bit of every vector per game. Implemented once per instruction set (lanes.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "circuit/circuit.hpp"
#include "circuit/derived_facts.hpp"
#include "program/program_set.hpp"

namespace gdl {

// The results of uniformly random playouts from the initial state.
struct PlayoutTotals {
  std::uint64_t playouts = 0;
  std::uint64_t states = 0;           // moves made in finished and unfinished playouts
  std::uint64_t finished_states = 0;  // moves made in finished playouts: mean length = finished_states / playouts
  std::vector<double> goals;          // [role] sum of goals over finished playouts
  double seconds = 0;
  double cpu_seconds = 0;  // processor time of the thread
};

// Legal rows of some lanes. `rows[lane]` ascends; roles follow each other. Other lanes keep what they had before.
struct LegalLists {
  std::vector<std::vector<std::int32_t>> rows;  // [lane]
};

// Fluents that changed in some lanes. `fluents[lane]` ascends. Other lanes keep what they had before.
struct ChangeLists {
  std::vector<std::vector<std::int32_t>> fluents;  // [lane]
};

// One step of every lane is: evaluate(); look; force() or choose(); advance().
// A lane mask is lanes() / 64 words; lane i is bit i % 64 of word i / 64.
class LaneEngine {
 public:
  virtual ~LaneEngine() = default;

  virtual int lanes() const = 0;
  virtual const char* instruction_set() const = 0;

  // Puts a packed state and the seed of its random stream into a lane. Takes effect at the next evaluate().
  virtual void load(int lane, const std::uint64_t* state, std::uint64_t seed) = 0;

  // Puts a packed state into all lanes of a mask at once, where it shows at the next evaluate(). The random streams of
  // these lanes stay as they are.
  virtual void load_copies(const std::uint64_t* mask, const std::uint64_t* state) = 0;

  // Puts the loaded states into the lanes. Without this call, evaluate() does it first.
  virtual void place_loaded() = 0;
  // Phase A: legal, terminal, goal. Where the programs follow turns, on the lanes of one turn (in 128, 256 or 512
  // neighbouring lanes): the next one that a lane of `wanted` is in. Only the lanes of `ready` show anything then, and
  // only they may choose, be forced and advance.
  virtual void evaluate(const std::uint64_t* wanted, std::uint64_t* ready) = 0;
  // Runs phase A on all lanes, where the programs ignore turns.
  void evaluate() {
    std::uint64_t all[8];
    std::fill_n(all, 8, ~std::uint64_t{0});
    evaluate(all, all);
  }
  // Lanes whose state is terminal.
  virtual void terminal(std::uint64_t* mask) const = 0;
  // The goal of each role in a lane's state, of any turn; -1 where the rules give none.
  virtual void goals(int lane, std::int32_t* goal) const = 0;
  // The cost of the first goals that are asked for after an evaluation, in steps of all lanes. The goals of the other
  // lanes cost nothing then; where it is 0, no goals do.
  virtual double goal_cost() const = 0;
  // Writes the packed states of the lanes in `mask` to out + lane * state_words.
  virtual void read_states(const std::uint64_t* mask, std::uint64_t* out) const = 0;
  // Writes the packed derived facts of the lanes in `mask` to out + lane * facts.words(). Call after
  // evaluate(), before the lanes are forced or choose.
  virtual void read_derived(const DerivedFacts& facts, const std::uint64_t* mask, std::uint64_t* out) = 0;
  // Lists the legal rows of all roles in the lanes of `mask`.
  virtual void list_legal(const std::uint64_t* mask, LegalLists& out) const = 0;
  // Lists the preferred rows of a kind that the programs have, of all roles.
  virtual void list_preferred(const std::uint64_t* mask, std::size_t kind, LegalLists& out) const = 0;

  // Chooses uniformly for every role of the lanes in `mask`, from each lane's own random stream. A lane's draw depends
  // on its stream and its state alone, not on the width or on other lanes.
  virtual void choose(const std::uint64_t* mask) = 0;
  // Does the same, but chooses among the preferred rows of a kind in the lanes of preferring[kind].
  virtual void choose(const std::uint64_t* mask, std::span<const std::uint64_t* const> preferring) = 0;
  // Appends the rows that choose() chose, of all roles, in the lanes of `mask`. Call after choose(), before force().
  virtual void list_chosen(const std::uint64_t* mask, LegalLists& out) const = 0;
  // Sets the move of one role of a lane that is not in the mask given to choose(). Call after choose().
  virtual void force(int lane, std::int32_t row) = 0;
  // The same in all lanes of a mask.
  virtual void force(const std::uint64_t* mask, std::int32_t row) = 0;
  // The same in neighbouring lanes from `first` on, each of which has a row of its own.
  virtual void force(int first, std::span<const std::int32_t> rows) = 0;
  // Phase B on all lanes: every lane with a chosen move goes to its next state.
  virtual void advance() = 0;
  // The same, and lists the fluents that change in the lanes of `mask`.
  virtual void advance(const std::uint64_t* mask, ChangeLists& out) = 0;

  // Uniformly random playouts on all lanes with refill, until `seconds` passed or `playouts` finished
  // (0: no such limit). `stop` is asked at least every 100 ms. Resets all lanes.
  virtual PlayoutTotals run_playouts(double seconds, std::uint64_t playouts, std::uint64_t seed, bool (*stop)()) = 0;
};

// `lanes` is a multiple of 64; 64, 128, 256 and 512 are supported. The circuit must outlive the engine. Programs that
// follow turns take only states that are in one. Throws std::invalid_argument for other lanes and instruction sets.
std::unique_ptr<LaneEngine> make_lane_engine(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                             int lanes, const std::string& isa);

}  // namespace gdl
