// Machine in Python: circuits come in as values with array attributes, states as uint64 arrays.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "bindings/attributes.hpp"
#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "bindings/position_arrays.hpp"
#include "bindings/read_decisive_moves.hpp"
#include "bindings/read_network.hpp"
#include "bindings/stop.hpp"
#include "circuit/circuit_check.hpp"
#include "circuit/possible_values.hpp"
#include "hardware/instruction_set.hpp"
#include "lanes/lane_engine.hpp"
#include "machine/machine.hpp"
#include "program/goal_costs.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gdl {

namespace {

Circuit read_circuit(nb::handle value) {
  const Attributes source(value, "circuit");
  const std::int64_t version = source.integer("version");
  if (version != Circuit::FORMAT_VERSION) {
    source.refuse("version " + std::to_string(version) + ", this module reads version " +
                  std::to_string(Circuit::FORMAT_VERSION));
  }
  Circuit circuit;
  circuit.n_fluents = static_cast<std::int32_t>(source.integer("n_fluents"));
  circuit.n_roles = static_cast<std::int32_t>(source.integer("n_roles"));
  const auto n_rows = static_cast<std::size_t>(source.integer("n_rows"));
  circuit.move_start = source.elements<std::int32_t>("move_start");
  circuit.sets = {source.elements<std::int32_t>("set_start"), source.elements<std::int32_t>("set_rows")};
  circuit.gates = {source.elements<std::int32_t>("gate_start"), source.elements<Literal>("gate_literals")};
  circuit.n_state_gates = static_cast<std::size_t>(source.integer("n_state_gates"));
  using LoopArray = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
  const auto loops = source.array<LoopArray>("loops", "int32 pairs");
  for (std::size_t i = 0; i < loops.shape(0); ++i) {  // the check finds negative numbers, which become very large
    circuit.loops.push_back({static_cast<std::uint32_t>(loops(i, 0)), static_cast<std::uint32_t>(loops(i, 1))});
  }
  circuit.loop_initial = source.elements<std::uint8_t>("loop_initial");
  circuit.legal = source.elements<Literal>("legal");
  circuit.terminal = static_cast<Literal>(source.integer("terminal", UINT32_MAX));
  circuit.goal_role = source.elements<std::int32_t>("goal_role");
  circuit.goal_value = source.elements<std::int32_t>("goal_value");
  circuit.goal_literal = source.elements<Literal>("goal_literal");
  circuit.next = source.elements<Literal>("next");
  circuit.initial = source.elements<std::uint8_t>("initial");
  if (circuit.legal.size() != n_rows) {
    source.refuse("legal has " + std::to_string(circuit.legal.size()) + " elements, expected " +
                  std::to_string(n_rows));
  }
  if (source.has("chance_role")) {  // optional; the number of roles stands for no role
    const auto role = static_cast<std::int32_t>(source.integer("chance_role", circuit.n_roles));
    if (role < circuit.n_roles) circuit.chance_role = role;
  }
  return circuit;
}

// The groups are optional; the names of fluents suggest those that exclude each other.
FluentGroups read_groups(nb::handle value) {
  const Attributes source(value, "circuit");
  if (!source.has("group_start")) return {};
  return {source.elements<std::int32_t>("group_start"), source.elements<std::int32_t>("group_fluents")};
}

std::span<const std::uint64_t> words(const Array<std::uint64_t>& state) { return {state.data(), state.size()}; }

nb::tuple legal(Machine& machine, const Array<std::uint64_t>& state) {
  nb::list rows;
  for (std::int32_t role = 0; role < machine.circuit().n_roles; ++role) {
    rows.append(to_numpy(machine.legal(words(state), role)));
  }
  return nb::tuple(rows);
}

nb::tuple goals(Machine& machine, const Array<std::uint64_t>& state) {
  nb::list goals;
  for (const std::int32_t goal : machine.goals(words(state)))
    goals.append(goal < 0 ? nb::none() : nb::object(nb::int_(goal)));
  return nb::tuple(goals);
}

PlayoutTotals playouts(const Machine& machine, std::optional<double> seconds, std::optional<std::uint64_t> count,
                       int lanes, std::uint64_t seed, const std::optional<std::string>& isa, bool follow_turns,
                       const std::string& decisive) {
  if (!seconds && !count) throw nb::value_error("playouts: give seconds, count or both");
  if (seconds && !(std::isfinite(*seconds) && *seconds > 0)) throw nb::value_error("playouts: seconds must be above 0");
  if (count && *count == 0) throw nb::value_error("playouts: count must be above 0");
  const DecisiveMoves asked = read_decisive_moves(decisive);
  PlayoutTotals totals;
  {
    const nb::gil_scoped_release release;
    const auto programs =
        machine.programs(follow_turns ? TurnPolicy::Follow : TurnPolicy::Ignore, preferences_for(machine, asked));
    const auto engine = make_lane_engine(machine.circuit(), programs, lanes, isa ? *isa : chosen_instruction_set());
    totals = engine->run_playouts(seconds.value_or(0), count.value_or(0), seed, stop_requested);
  }
  throw_if_stopped();
  return totals;
}

nb::tuple turns(const Machine& machine) {
  const Turns& turns = machine.turns();
  std::vector<std::uint8_t> values;
  for (const auto& turn : turns.values) values.insert(values.end(), turn.begin(), turn.end());
  return nb::make_tuple(to_numpy(turns.fluents),
                        to_numpy<2>(std::move(values), {turns.values.size(), turns.fluents.size()}));
}

nb::tuple best_goal_costs(const Machine& machine, const Array<std::int32_t>& roles) {
  RelaxedCosts costs = goal_costs(machine.circuit(), machine.turns(), {roles.data(), roles.size()});
  return nb::make_tuple(to_numpy(std::move(costs.initial)), to_table(numbers_of(costs.shapes), CostShape::NUMBERS),
                        to_numpy(std::move(costs.shape)), to_numpy(costs.steps.start()), to_numpy(costs.steps.values()),
                        to_numpy(std::move(costs.loops)), to_numpy(std::move(costs.role)));
}

nb::object merged_rows(const Machine& machine) {
  const auto merged = machine.programs(TurnPolicy::Ignore)->merged;
  if (!merged) return nb::none();
  const Circuit& circuit = merged->circuit;
  return nb::make_tuple(to_numpy(merged->merging.merged), to_numpy(merged->merging.key), circuit.gates.size(),
                        circuit.gates.values().size());
}

nb::tuple decisive_moves(const Machine& machine, const std::string& asked) {
  const DecisiveMoves settled = machine.settled(read_decisive_moves(asked));
  Preferences preferences;  // if off, the least that the game might have
  preferences.add(settled == DecisiveMoves::Off ? DecisiveMoves::Decisive : settled);
  const DecisiveCircuit& found = machine.decisive_moves(preferences);
  const auto merged = machine.programs(TurnPolicy::Ignore)->merged;
  const auto n_rows = static_cast<std::size_t>(machine.circuit().n_rows());
  std::vector<std::uint8_t> choosing;
  for (const auto& rows : found.choosing) {
    for (std::size_t row = 0; row < n_rows; ++row) {
      choosing.push_back(rows[merged ? static_cast<std::size_t>(merged->merging.merged[row]) : row]);
    }
  }
  const double cost = found.circuit ? machine.relative_cost(preferences) : 0;
  return nb::make_tuple(name_of(settled), found.reason, cost,
                        to_numpy<2>(std::move(choosing), {found.choosing.size(), n_rows}));
}

NumpyArray<std::int32_t, 1> loop_rounds(const Machine& machine, const PackedStates& states,
                                        const JointMoveRows& joints) {
  check_states(machine.circuit(), states);
  check_joints(machine.circuit(), states, joints, "loop_rounds");
  return to_numpy(machine.loop_rounds({states.data(), states.size()}, {joints.data(), joints.size()}));
}

nb::list exclusive_fluents(const Machine& machine) {
  nb::list pairs;
  const MutualExclusion exclusion(machine.circuit(), machine.groups());
  for (const auto& [one, other] : exclusion.pairs()) pairs.append(nb::make_tuple(one, other));
  return pairs;
}

}  // namespace

void bind_machine(nb::module_& m) {
  nb::class_<PlayoutTotals>(m, "PlayoutTotals", "The results of uniformly random playouts from the initial state.")
      .def_ro("playouts", &PlayoutTotals::playouts, "Finished playouts.")
      .def_ro("states", &PlayoutTotals::states, "Moves made, in finished and unfinished playouts.")
      .def_ro("finished_states", &PlayoutTotals::finished_states, "Moves made in finished playouts.")
      .def_ro("goals", &PlayoutTotals::goals, "Sum of goals over finished playouts, per role.")
      .def_ro("seconds", &PlayoutTotals::seconds, "Wall-clock seconds.")
      .def_ro("cpu_seconds", &PlayoutTotals::cpu_seconds, "Processor seconds of the thread that played.");

  m.def(
      "check_circuit", [](nb::handle circuit) { check_circuit(read_circuit(circuit)); }, "circuit"_a,
      "Raises ValueError for a malformed Circuit value, naming the array, the place and what was expected.");
  m.def(
      "possible_values",
      [](nb::handle circuit) {
        const PossibleValues found = possible_values(read_circuit(circuit));
        return nb::make_tuple(to_numpy(found.fluents), to_numpy(found.rows));
      },
      "circuit"_a,
      "Finds what may hold in a match of a well-formed Circuit value: [fluent] 1: never true, 2: always true, 3: both "
      "may be; [row] whether the move may be legal. What is not possible is proven, what is possible need not happen.");

  nb::class_<Machine>(m, "Machine", "A compiled game; see agent/native/README.md for the circuit's arrays.")
      .def(
          "__init__",
          [](Machine* self, nb::handle circuit) { new (self) Machine(read_circuit(circuit), read_groups(circuit)); },
          "circuit"_a, "Reads the arrays of a Circuit value. Raises ValueError for a malformed one.")
      .def(
          "initial", [](const Machine& self) { return to_numpy(self.initial()); },
          "The initial state, packed: uint64[state_words].")
      .def("legal", &legal, "state"_a, "Legal rows per role: tuple of ascending int32 arrays.")
      .def(
          "next",
          [](Machine& self, const Array<std::uint64_t>& state, const std::vector<std::int32_t>& joint) {
            return to_numpy(self.next(words(state), joint));
          },
          "state"_a, "joint"_a, "The state after one row per role, in the order of roles.")
      .def(
          "terminal", [](Machine& self, const Array<std::uint64_t>& state) { return self.terminal(words(state)); },
          "state"_a, "Whether the state is terminal.")
      .def("goals", &goals, "state"_a, "Goal per role, None where the rules give none.")
      .def("playouts", &playouts, "seconds"_a = nb::none(), "count"_a = nb::none(), "lanes"_a = 512, "seed"_a = 0,
           "isa"_a = nb::none(), "follow_turns"_a = true, "decisive"_a = "off",
           "Uniformly random playouts from the initial state, for `seconds` or until `count` are finished. With a count"
           " and no time limit the totals depend on the circuit, the count and the seed alone. `follow_turns`: whether "
           "lanes take turns where the game does; it changes the speed only. `decisive`: the moves that are preferred, "
           "as "
           "decisive_moves() settles it.");

  m.def(
      "turns", &turns, "machine"_a,
      "The fluents that follow a cycle of their own and so tell whose turn it is (int32[n]), and their values in each "
      "turn (uint8[turns, n]), the initial state's first.");
  m.def("goal_costs", &best_goal_costs, "machine"_a, "roles"_a,
        "The steps that find what the best goals of some roles cost by the relaxed rules (circuit/relaxed_costs.hpp): "
        "initial, shapes, step_shape, step_start, step_slots, loops, role_slots.");
  m.def(
      "autonomous_fluents", [](const Machine& machine) { return to_numpy(autonomous_fluents(machine.circuit())); },
      "machine"_a,
      "The fluents that change in the same way whatever is played, such as turns and counters of moves: "
      "uint8[n_fluents].");
  m.def(
      "step_cost", [](const Machine& machine) { return machine.programs(TurnPolicy::Follow)->step_cost; }, "machine"_a,
      "The literals that a step of random playouts reads in the mean turn, and eight for every row to be counted and "
      "marked. Goals that are evaluated apart are not counted.");
  m.def(
      "decisive_moves", &decisive_moves, "machine"_a, "asked"_a,
      "What playouts do that are asked for decisive moves: `off`, `decisive` or `antidecisive` "
      "(agent/native/program/decisive_moves.hpp). Returns this; the reason why the game has no gates for it, or an "
      "empty text; the cost of a step, in steps of uniformly random playouts, that it has or, if off, would have, 0 if "
      "there are no gates; and for each turn and row, whether the role of the row may have other legal rows where it "
      "is legal (uint8[turns, rows]).");
  m.def(
      "without_dead_ends",
      [](const Machine& machine) {
        const auto circuit = machine.circuit_without_dead_ends();
        return circuit ? std::make_unique<Machine>(*circuit) : nullptr;
      },
      "machine"_a,
      "The game of a single player in which moves that are known to lead to dead ends are not legal "
      "(agent/native/program/dead_ends.hpp), as a Machine; None where no such moves are known.");
  m.def("loop_rounds", &loop_rounds, "machine"_a, "states"_a, "joints"_a,
        "How many rounds each loop of the circuit takes in these states, uint64[n, state_words], and joint moves, "
        "int32[n, n_roles], until its gates are settled in all of them, as lanes take them side by side: "
        "int32[n_loops].");
  m.def("exclusive_fluents", &exclusive_fluents, "machine"_a,
        "The pairs of fluents within the groups that names suggest that are proven to hold together in no state that "
        "play reaches; the larger one comes first.");
  m.def(
      "merged_rows", &merged_rows, "machine"_a,
      "If it pays, rows that are never legal together are one in the lanes. Returns the merged row of every row "
      "(int32[n]), the fluent that tells it from the others of its merged row (int32[n], -1 for a row left alone), and "
      "the numbers of gates and literals of the circuit over merged rows; None if it does not pay.");
  m.def("supported_instruction_sets", &supported_instruction_sets,
        "The instruction sets of this build and this processor, best first.");
  m.def("chosen_instruction_set", &chosen_instruction_set,
        "The instruction set that runs: the best, or the one that GDL_MINER_ISA names.");
}

}  // namespace gdl
