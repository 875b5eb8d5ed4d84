// Machine for Python: circuits come in as values with array attributes, states as uint64 arrays.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>

#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "bindings/stop.hpp"
#include "hardware/instruction_set.hpp"
#include "lanes/lane_engine.hpp"
#include "machine/machine.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gdl {

namespace {

using LoopArray = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

nb::object attribute(nb::handle value, const char* name) {
  if (!nb::hasattr(value, name)) throw nb::value_error((std::string("circuit: no attribute ") + name).c_str());
  return value.attr(name);
}

template <class A>
A array(nb::handle value, const char* name, const char* expected) {
  A result;
  constexpr bool CONVERT = false;
  if (!nb::try_cast<A>(attribute(value, name), result, CONVERT)) {
    throw nb::value_error((std::string("circuit: ") + name + " must be a contiguous array of " + expected).c_str());
  }
  return result;
}

template <class T>
std::vector<T> elements(nb::handle value, const char* name, const char* expected) {
  const auto source = array<Array<T>>(value, name, expected);
  return std::vector<T>(source.data(), source.data() + source.size());
}

std::int64_t integer(nb::handle value, const char* name, std::int64_t limit) {
  std::int64_t result;
  if (!nb::try_cast<std::int64_t>(attribute(value, name), result) || result < 0 || result > limit) {
    throw nb::value_error(
        (std::string("circuit: ") + name + " must be an integer from 0 to " + std::to_string(limit)).c_str());
  }
  return result;
}

Circuit read_circuit(nb::handle value) {
  constexpr const char* INT32 = "int32";
  constexpr const char* UINT32 = "uint32";
  constexpr const char* UINT8 = "uint8";
  constexpr std::int64_t MAX_INT = 0x7FFFFFFF;
  const std::int64_t version = integer(value, "version", MAX_INT);
  if (version != Circuit::FORMAT_VERSION) {
    throw nb::value_error(("circuit: version " + std::to_string(version) + ", this module reads version " +
                           std::to_string(Circuit::FORMAT_VERSION))
                              .c_str());
  }
  Circuit circuit;
  circuit.n_fluents = static_cast<std::int32_t>(integer(value, "n_fluents", MAX_INT));
  circuit.n_roles = static_cast<std::int32_t>(integer(value, "n_roles", MAX_INT));
  circuit.move_start = elements<std::int32_t>(value, "move_start", INT32);
  circuit.sets = {elements<std::int32_t>(value, "set_start", INT32), elements<std::int32_t>(value, "set_rows", INT32)};
  circuit.gates = {elements<std::int32_t>(value, "gate_start", INT32),
                   elements<Literal>(value, "gate_literals", UINT32)};
  circuit.n_state_gates = static_cast<std::size_t>(integer(value, "n_state_gates", MAX_INT));
  const auto loops = array<LoopArray>(value, "loops", "int32 pairs");
  for (std::size_t i = 0; i < loops.shape(0); ++i) {  // a negative one becomes larger than the number of gates
    circuit.loops.push_back({static_cast<std::uint32_t>(loops(i, 0)), static_cast<std::uint32_t>(loops(i, 1))});
  }
  circuit.loop_initial = elements<std::uint8_t>(value, "loop_initial", UINT8);
  circuit.legal = elements<Literal>(value, "legal", UINT32);
  circuit.terminal = static_cast<Literal>(integer(value, "terminal", 0xFFFFFFFF));
  circuit.goal_role = elements<std::int32_t>(value, "goal_role", INT32);
  circuit.goal_value = elements<std::int32_t>(value, "goal_value", INT32);
  circuit.goal_literal = elements<Literal>(value, "goal_literal", UINT32);
  circuit.next = elements<Literal>(value, "next", UINT32);
  circuit.initial = elements<std::uint8_t>(value, "initial", UINT8);
  return circuit;
}

// Optional: what names suggest about fluents that exclude each other.
FluentGroups read_groups(nb::handle value) {
  if (!nb::hasattr(value, "group_start")) return {};
  return {elements<std::int32_t>(value, "group_start", "int32"),
          elements<std::int32_t>(value, "group_fluents", "int32")};
}

std::span<const std::uint64_t> words(const Array<std::uint64_t>& state) { return {state.data(), state.size()}; }

nb::tuple legal(Machine& machine, const Array<std::uint64_t>& state) {
  nb::list rows;
  for (std::int32_t role = 0; role < machine.circuit().n_roles; ++role) {
    rows.append(to_numpy<RowArray>(machine.legal(words(state), role)));
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
                       int lanes, std::uint64_t seed, const std::optional<std::string>& isa, bool follow_turns) {
  if (!seconds && !count) throw nb::value_error("playouts: give seconds, count or both");
  if (seconds && !(std::isfinite(*seconds) && *seconds > 0)) throw nb::value_error("playouts: seconds must be above 0");
  if (count && *count == 0) throw nb::value_error("playouts: count must be above 0");
  PlayoutTotals totals;
  {
    const nb::gil_scoped_release release;
    const auto programs = machine.programs(follow_turns ? TurnPolicy::Follow : TurnPolicy::Ignore);
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
  auto* data = new std::uint8_t[values.size()];
  std::copy(values.begin(), values.end(), data);
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
  using Table = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<2>>;
  return nb::make_tuple(to_numpy<RowArray>(turns.fluents),
                        Table(data, {turns.values.size(), turns.fluents.size()}, owner));
}

nb::object merged_rows(const Machine& machine) {
  const auto merged = machine.programs(TurnPolicy::Ignore)->merged;
  if (!merged) return nb::none();
  const Circuit& circuit = merged->circuit;
  return nb::make_tuple(to_numpy<RowArray>(merged->merging.merged), to_numpy<RowArray>(merged->merging.key),
                        circuit.gates.size(), circuit.gates.values().size());
}

nb::list exclusive_fluents(const Machine& machine) {
  nb::list pairs;
  const MutualExclusion exclusion(machine.circuit(), machine.groups());
  for (const auto& [one, other] : exclusion.pairs()) pairs.append(nb::make_tuple(one, other));
  return pairs;
}

}  // namespace

void bind_machine(nb::module_& m) {
  nb::class_<PlayoutTotals>(m, "PlayoutTotals", "What uniformly random playouts from the initial state gave.")
      .def_ro("playouts", &PlayoutTotals::playouts, "Finished playouts.")
      .def_ro("states", &PlayoutTotals::states, "Moves made, in finished and unfinished playouts.")
      .def_ro("finished_states", &PlayoutTotals::finished_states, "Moves made in finished playouts.")
      .def_ro("goals", &PlayoutTotals::goals, "Sum of goals over finished playouts, per role.")
      .def_ro("seconds", &PlayoutTotals::seconds, "Wall-clock seconds.")
      .def_ro("cpu_seconds", &PlayoutTotals::cpu_seconds, "Processor seconds of the thread that played.");

  nb::class_<Machine>(m, "Machine", "A compiled game; see agent/native/README.md for the circuit's arrays.")
      .def(
          "__init__",
          [](Machine* self, nb::handle circuit) { new (self) Machine(read_circuit(circuit), read_groups(circuit)); },
          "circuit"_a, "Reads the arrays of a Circuit value. Raises ValueError for a malformed one.")
      .def(
          "initial", [](const Machine& self) { return to_numpy<StateArray>(self.initial()); },
          "The initial state, packed: uint64[state_words].")
      .def("legal", &legal, "state"_a, "Legal rows per role: tuple of ascending int32 arrays.")
      .def(
          "next",
          [](Machine& self, const Array<std::uint64_t>& state, const std::vector<std::int32_t>& joint) {
            return to_numpy<StateArray>(self.next(words(state), joint));
          },
          "state"_a, "joint"_a, "The state after one row per role, in the order of roles.")
      .def(
          "terminal", [](Machine& self, const Array<std::uint64_t>& state) { return self.terminal(words(state)); },
          "state"_a, "Whether the state is terminal.")
      .def("goals", &goals, "state"_a, "Goal per role, None where the rules give none.")
      .def("playouts", &playouts, "seconds"_a = nb::none(), "count"_a = nb::none(), "lanes"_a = 512, "seed"_a = 0,
           "isa"_a = nb::none(), "follow_turns"_a = true,
           "Uniformly random playouts from the initial state, for `seconds` or until `count` are finished. With a count"
           " and no time limit the totals depend on the circuit, the count and the seed alone. `follow_turns`: whether "
           "lanes take turns where the game does; it changes the speed only.");

  m.def("turns", &turns, "machine"_a,
        "Whose turn it is: fluents that follow a cycle of their own (int32[n]), and their values in each turn "
        "(uint8[turns, n]), the initial state's first.");
  m.def(
      "step_cost", [](const Machine& machine) { return machine.programs(TurnPolicy::Follow)->step_cost; }, "machine"_a,
      "What a step of random playouts reads, in literals: of the mean turn, without goals where they are evaluated "
      "apart, and eight for every row to be counted and marked.");
  m.def("exclusive_fluents", &exclusive_fluents, "machine"_a,
        "Pairs of fluents, of the groups that names suggest, that are proven to hold together in no state that play "
        "reaches; the larger first.");
  m.def("merged_rows", &merged_rows, "machine"_a,
        "Rows that are never legal together are one in the lanes, where that pays: the merged row of every row "
        "(int32[n]), the fluent that tells it from the others of its merged row (int32[n], -1 for a row left alone), "
        "gates and literals of the circuit over merged rows. None where it does not pay.");
  m.def("supported_instruction_sets", &supported_instruction_sets, "Those of this processor, best first.");
  m.def("chosen_instruction_set", &chosen_instruction_set,
        "The one that runs: the best, or the environment variable GDL_MINER_ISA.");
}

}  // namespace gdl
