// The search of a single player: it keeps the best line that it has ever seen, and looks for a better one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "hardware/published.hpp"
#include "program/program_set.hpp"
#include "puzzle/best_first.hpp"
#include "puzzle/line.hpp"
#include "puzzle/line_search.hpp"
#include "puzzle/replay.hpp"

namespace gdl {

// The limits of a search, which ends at the first that is reached.
struct PuzzleLimits {
  std::int64_t states = 0;  // 0: no limit
  double seconds = 0;       // 0: no limit
};

// The way in which a search shares its work between best-first search and rollouts: nested rollouts, descents and
// probes, which take turns.
enum class PuzzleWork {
  Alternate,        // both see about as many states
  SystematicFirst,  // the same, after best-first search has filled its memory
  RolloutsOnly,
};

// The knowledge of a search about its position.
struct PuzzleKnowledge {
  std::vector<std::uint64_t> state;  // the position
  std::uint64_t seed = 0;            // of the search
  std::vector<std::int32_t> legal;   // rows, ascending
  Line best;                         // the best line to an end
  // Moves towards the state that is closest to the largest goal, where the best line brings nothing.
  std::vector<std::int32_t> promising;
  bool proven = false;         // whether no line brings more
  std::int64_t states = 0;     // states that the moves of this search have led to
  std::int64_t seen = 0;       // the same, of all searches of this position
  std::uint32_t distinct = 0;  // states that are held
  std::size_t bytes = 0;       // of memory for them

  // The moves to make.
  std::span<const std::int32_t> moves() const { return follows_best() ? best.rows : promising; }
  // The goal at the end of these moves; -1 if they do not lead to an end.
  std::int32_t goal() const { return follows_best() ? best.goal : -1; }
  bool follows_best() const { return best.goal > 0 || proven || promising.empty(); }
};

class PuzzleSearch {
 public:
  // The circuit has one role, and must outlive this object. The programs must ignore turns. `without_dead_ends` is the
  // circuit in which probes move, or null.
  PuzzleSearch(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
               std::shared_ptr<const Circuit> without_dead_ends, std::size_t max_bytes, PuzzleWork work);

  const Circuit& circuit() const { return circuit_; }

  // Searches a state that is not terminal. A search of the same state goes on. Throws RuleViolation if the rules leave
  // the player without a legal move on every line.
  PuzzleKnowledge think(std::span<const std::uint64_t> state, std::uint64_t seed, PuzzleLimits limits);

  // The knowledge about a state, some milliseconds old; `legal` is empty unless the last search that has begun
  // searches this state, and `states` is 0 unless it has this seed. One thread at a time may call this, also while
  // another one thinks; it never waits.
  PuzzleKnowledge known(std::span<const std::uint64_t> state, std::uint64_t seed);

  // The moves that the last search would make if `first` is the first of them; at most `longest`.
  std::vector<std::int32_t> line(std::int32_t first, std::size_t longest) const;

  // May be called from any thread. While `stopped` is true, thinking ends at its next step.
  void set_stopped(bool stopped) { stopped_ = stopped; }
  bool stopped() const { return stopped_; }

 private:
  void begin(std::span<const std::uint64_t> state, std::uint64_t seed);
  void step(const std::function<bool()>& stop);
  // The rollouts that have seen the fewest states.
  LineSearch& next_rollouts() const;
  bool proven() const;
  std::int64_t generated() const { return best_first_.generated() + rolled_out(); }
  std::int64_t rolled_out() const;
  PuzzleKnowledge knowledge(std::uint64_t seed, std::int64_t before) const;

  const Circuit& circuit_;
  const PuzzleWork work_;
  const std::int32_t largest_goal_;
  BestFirstSearch best_first_;
  const std::shared_ptr<const Circuit> without_dead_ends_;
  std::vector<std::unique_ptr<LineSearch>> rollouts_;
  Replay replay_;
  std::vector<std::uint64_t> root_;
  std::vector<std::int32_t> legal_;  // in the root
  PuzzleKnowledge found_;            // of the last search
  std::atomic<bool> stopped_ = false;
  Published<PuzzleKnowledge> published_;
};

}  // namespace gdl
