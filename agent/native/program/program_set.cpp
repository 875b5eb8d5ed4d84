#include "program/program_set.hpp"

#include <algorithm>
#include <numeric>

#include "program/goal_circuit.hpp"
#include "program/step_cost.hpp"

namespace gdl {
namespace {

// Turns must make steps cheaper by this factor, because a playout that ends in another turn waits for the first.
constexpr double WORTHWHILE = 0.85;

ProgramSet one_program(const Circuit& circuit) {
  ProgramSet set;
  set.turns = {{}, {{}}};
  set.programs.push_back(compile_program(circuit, 1 + static_cast<std::uint32_t>(circuit.n_fluents)));
  set.n_slots = set.programs[0].n_slots;
  set.step_cost = step_cost(circuit);
  for (std::size_t role = 0; role + 1 < circuit.move_start.size(); ++role) {  // any row may be forced
    set.programs[0].live_rows[role] = {
        {circuit.move_start[role], circuit.move_start[role + 1] - circuit.move_start[role]}};
  }
  return set;
}

ProgramSet program_of_each_turn(const Circuit& circuit, const Turns& turns) {
  std::vector<Circuit> circuits;
  double turns_cost = 0;
  for (int turn = 0; turn < turns.count(); ++turn) {
    circuits.push_back(circuit_of_turn(circuit, turns, turn));
    turns_cost += step_cost(circuits.back());
  }
  if (turns_cost > WORTHWHILE * turns.count() * step_cost(circuit)) return one_program(circuit);
  ProgramSet set;
  set.turns = turns;
  set.step_cost = turns_cost / turns.count();
  set.n_slots = 1 + static_cast<std::uint32_t>(circuit.n_fluents);
  for (const Circuit& each : circuits) {
    set.programs.push_back(compile_program(each, set.n_slots));
    set.n_slots = set.programs.back().n_slots;
  }
  return set;
}

// The programs that `compile` makes of a circuit, or of the circuit without goals if these are better left to a program
// of their own.
template <class Compile>
ProgramSet compile_goals_apart(const Circuit& circuit, Compile compile) {
  if (!goals_are_costly(circuit)) return compile(circuit);
  ProgramSet set = compile(without_goals(circuit));
  const Circuit goals = goals_alone(circuit);
  set.goals = compile_program(goals, 1 + static_cast<std::uint32_t>(circuit.n_fluents));
  set.goal_cost = static_cast<double>(goals.gates.values().size());
  return set;
}

}  // namespace

ProgramSet compile_programs(const Circuit& circuit) { return compile_goals_apart(circuit, one_program); }

ProgramSet compile_programs(const Circuit& circuit, const Turns& turns) {
  return compile_goals_apart(circuit, [&](const Circuit& each) { return program_of_each_turn(each, turns); });
}

}  // namespace gdl
