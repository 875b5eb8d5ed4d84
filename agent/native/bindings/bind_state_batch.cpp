// StateBatch in Python: questions about arrays of packed states.
#include <nanobind/ndarray.h>

#include <cstddef>
#include <utility>

#include "bindings/attributes.hpp"
#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "bindings/position_arrays.hpp"
#include "bindings/read_network.hpp"
#include "lanes/state_batch.hpp"
#include "machine/machine.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gdl {

namespace {

// Asks without the GIL.
template <class Ask>
auto unlocked(Ask ask) {
  const nb::gil_scoped_release release;
  return ask();
}

// Checks the arguments that come from Python.
class BoundStateBatch {
 public:
  explicit BoundStateBatch(const Machine& machine)
      : circuit_(machine.circuit()), batch_(circuit_, machine.programs(TurnPolicy::Ignore)) {}

  NumpyArray<std::uint8_t, 1> terminal(const PackedStates& states) {
    check_states(circuit_, states);
    return to_numpy(unlocked([&] { return batch_.terminal(states.data(), states.shape(0)); }));
  }

  NumpyArray<std::int32_t, 2> goals(const PackedStates& states) {
    check_states(circuit_, states);
    return to_table(unlocked([&] { return batch_.goals(states.data(), states.shape(0)); }),
                    static_cast<std::size_t>(circuit_.n_roles));
  }

  nb::tuple legal(const PackedStates& states) {
    check_states(circuit_, states);
    LegalRows found = unlocked([&] { return batch_.legal(states.data(), states.shape(0)); });
    return nb::make_tuple(to_numpy(std::move(found.start)), to_numpy(std::move(found.rows)));
  }

  NumpyArray<std::uint64_t, 2> playable(const PackedStates& states, nb::handle value) {
    check_states(circuit_, states);
    const DerivedFacts facts{.cells = read_cells(value, circuit_.n_fluents, circuit_.n_roles)};
    return to_table(unlocked([&] { return batch_.derived(facts, states.data(), states.shape(0)); }), facts.words());
  }

  NumpyArray<std::uint64_t, 2> costs(const PackedStates& states, nb::handle value) {
    check_states(circuit_, states);
    const DerivedFacts facts{.costs = read_costs(value, circuit_.n_fluents, circuit_.n_roles)};
    return to_table(unlocked([&] { return batch_.derived(facts, states.data(), states.shape(0)); }), facts.words());
  }

  NumpyArray<std::uint64_t, 2> next(const PackedStates& states, const JointMoveRows& joints) {
    check_states(circuit_, states);
    check_joints(circuit_, states, joints, "next");
    return to_table(unlocked([&] { return batch_.next(states.data(), joints.data(), states.shape(0)); }),
                    states.shape(1));
  }

 private:
  const Circuit& circuit_;
  StateBatch batch_;
};

}  // namespace

void bind_state_batch(nb::module_& m) {
  nb::class_<BoundStateBatch>(m, "StateBatch",
                              "The questions of Machine about many states at once, uint64[n, state_words]. The states "
                              "need not be ones that play can reach.")
      .def(nb::init<const Machine&>(), "machine"_a, nb::keep_alive<1, 2>())
      .def("terminal", &BoundStateBatch::terminal, "states"_a, "uint8[n]")
      .def("goals", &BoundStateBatch::goals, "states"_a, "int32[n, n_roles], -1 where the rules give none.")
      .def("legal", &BoundStateBatch::legal, "states"_a,
           "The legal rows of all roles: int64[n + 1] offsets into int32[] rows.")
      .def("playable", &BoundStateBatch::playable, "states"_a, "cells"_a,
           "The packed facts of playable cells (agent.values.PlayableCells) of states: uint64[n, words].")
      .def("costs", &BoundStateBatch::costs, "states"_a, "costs"_a,
           "The packed facts of relaxed costs (agent.values.RelaxedCosts) of states: uint64[n, words].")
      .def("next", &BoundStateBatch::next, "states"_a, "joints"_a,
           "The states after joint moves, int32[n, n_roles] rows. A move that is not legal leads to some state.");
}

}  // namespace gdl
