// Probes of a single player: greedy matches that avoid dead ends (iterative sampling: Langley 1992).
//
// A probe makes a move into a state that leaves the fewest moves which are not known to lead to a dead end, as
// Warnsdorff (1823) leads a knight over a board, or into one that leaves the most. Every probe keeps to one of these
// two rules and draws lots among equals; where it is stuck, it begins again. Many probes go on side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "program/program_set.hpp"
#include "puzzle/expander.hpp"
#include "puzzle/line_search.hpp"
#include "random/draws.hpp"

namespace gdl {

class Probes final : public LineSearch {
 public:
  // The circuit must outlive this object; it is that of without_dead_ends(). The programs must ignore turns.
  Probes(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs);

  void begin(std::span<const std::uint64_t> root, std::uint64_t seed) override;
  // Makes a move of every probe.
  void step(const std::function<bool()>& stop) override;
  bool stuck() const override { return stuck_; }

 private:
  struct Probe {
    std::vector<std::uint64_t> state;
    std::vector<std::int32_t> made;  // moves so far
    bool fewest = false;             // whether it leaves the fewest moves, not the most
  };

  void restart(Probe& probe);
  // Makes one of the moves that lead to some states.
  void move(Probe& probe, std::span<const Successor> successors);

  Expander expander_;
  std::vector<Probe> probes_;
  std::vector<std::uint64_t> root_;
  std::vector<const std::uint64_t*> states_of_probes_;  // scratch
  Draws draws_;
  bool stuck_ = false;
};

}  // namespace gdl
