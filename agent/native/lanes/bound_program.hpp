// A program made ready for one vector type: kernels for its gates, groups for its rows.
#pragma once

#include <deque>

#include "lanes/lane_chunk.hpp"
#include "lanes/move_choice.hpp"
#include "lanes/program_runner.hpp"
#include "program/program_set.hpp"

namespace gdl::GDL_ISA {

template <class V>
struct BoundProgram {
  BoundProgram(const Circuit& circuit, const Program& source)
      : program(source), runner(source), choice(circuit, source) {}

  const Program& program;
  ProgramRunner<V> runner;
  MoveChoice<V> choice;
};

// The programs of a game, by turn.
template <class V>
class BoundPrograms {
 public:
  BoundPrograms(const Circuit& circuit, const ProgramSet& set) : turns_(set.turns) {
    for (const Program& program : set.programs) programs_.emplace_back(circuit, program);
    for (std::size_t i = 0; i < turns_.fluents.size(); ++i) {
      const auto differs = [&](const auto& values) { return values[i] != turns_.values[0][i]; };
      if (std::ranges::any_of(turns_.values, differs)) telling_.push_back(i);
    }
  }

  BoundProgram<V>& operator[](int turn) { return programs_[static_cast<std::size_t>(turn)]; }
  const BoundProgram<V>& operator[](int turn) const { return programs_[static_cast<std::size_t>(turn)]; }
  int count() const { return turns_.count(); }
  int after(int turn) const { return turns_.after(turn); }

  // The lanes whose state is in a turn.
  V lanes_in(const LaneChunk<V>& chunk, int turn) const {
    V lanes = ones<V>();
    for (const std::size_t i : telling_) {
      const V fluent = chunk.values[programs_[0].program.fluent_slot + static_cast<std::uint32_t>(turns_.fluents[i])];
      lanes &= turns_.values[static_cast<std::size_t>(turn)][i] != 0 ? fluent : ~fluent;
    }
    return lanes;
  }

 private:
  const Turns& turns_;
  std::deque<BoundProgram<V>> programs_;  // a deque, because they can neither be copied nor moved
  std::vector<std::size_t> telling_;      // places in turns_.fluents of those that differ between turns
};

}  // namespace gdl::GDL_ISA
