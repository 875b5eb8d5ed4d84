// Questions about many states at once: every state has a lane. The states need not be ones that play can reach, but no
// two fluents may hold together that MutualExclusion proves never do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "circuit/circuit.hpp"
#include "lanes/lane_engine.hpp"

namespace gdl {

// The legal rows of states; those of a state ascend.
struct LegalRows {
  std::vector<std::int64_t> start{0};  // [states + 1] into rows
  std::vector<std::int32_t> rows;
};

// In all questions `states` is [n, state_words] packed.
class StateBatch {
 public:
  // The circuit must outlive this object. The programs ignore turns.
  StateBatch(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs);

  // [n] whether each state is terminal.
  std::vector<std::uint8_t> terminal(const std::uint64_t* states, std::size_t n);
  // [n, n_roles] the goals, -1 where the rules give none.
  std::vector<std::int32_t> goals(const std::uint64_t* states, std::size_t n);
  LegalRows legal(const std::uint64_t* states, std::size_t n);
  // [n, facts.words()] the packed derived facts. Throws std::invalid_argument for those of another game.
  std::vector<std::uint64_t> derived(const DerivedFacts& facts, const std::uint64_t* states, std::size_t n);
  // [n, state_words] the states after `joints`, [n, n_roles] rows. A move that is not legal leads to some state.
  std::vector<std::uint64_t> next(const std::uint64_t* states, const std::int32_t* joints, std::size_t n);

 private:
  // Evaluates the states, as many at a time as there are lanes, and calls look(first, count) after each evaluation.
  template <class Look>
  void for_each_filling(const std::uint64_t* states, std::size_t n, Look look);

  const Circuit& circuit_;
  std::unique_ptr<LaneEngine> engine_;
  std::size_t words_;
  std::vector<std::uint64_t> mask_;   // scratch: the lanes in use
  std::vector<std::uint64_t> lanes_;  // scratch: states of all lanes
  LegalLists lists_;                  // scratch
};

}  // namespace gdl
