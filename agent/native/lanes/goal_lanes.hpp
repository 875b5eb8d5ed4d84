// States that are kept, lane by lane, until their goals are asked for, and the program that tells the goals.
#pragma once

#include "lanes/program_runner.hpp"
#include "lanes/vector_array.hpp"

namespace gdl::GDL_ISA {

template <class V>
class GoalLanes {
 public:
  // The program must outlive it.
  explicit GoalLanes(const Program& program) : program_(program), runner_(program), values_(program.n_slots) {
    for (const std::uint32_t slot : program.true_slots) values_[slot] = ones<V>();
  }

  // The lanes whose state is kept.
  V kept() const { return kept_; }
  void keep(const V* fluents, std::int32_t n_fluents, V lanes) {
    V* own = &values_[program_.fluent_slot];
    for (std::int32_t f = 0; f < n_fluents; ++f) own[f] = mux(lanes, fluents[f], own[f]);
    kept_ |= lanes;
  }
  void forget() { kept_ = zeros<V>(); }

  // Evaluates the states that are kept.
  void evaluate() { runner_.run(program_.state_phase, values_.bytes()); }
  // The lanes in which a goal held at the last evaluation.
  V goal(std::size_t goal) const {
    const Literal literal = program_.goal_literals[goal];
    const V value = values_[slot_of(literal)];
    return is_complemented(literal) ? ~value : value;
  }

 private:
  const Program& program_;
  ProgramRunner<V> runner_;
  VectorArray<V> values_;  // [slot]
  V kept_ = zeros<V>();
};

}  // namespace gdl::GDL_ISA
