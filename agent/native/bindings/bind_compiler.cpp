// The compiler in Python: ground rules come in as values with array attributes, arrays of a circuit go out.
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/attributes.hpp"
#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "compiler/circuit_layout.hpp"
#include "compiler/ground_rules.hpp"
#include "compiler/pace.hpp"
#include "compiler/rule_collector.hpp"
#include "compiler/rule_compiler.hpp"
#include "compiler/simplifier.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gdl {

namespace {

GroundRules read_rules(nb::handle value) {
  const Attributes source(value, "ground rules");
  GroundRules rules;
  rules.n_atoms = read<std::int32_t>(value, "n_atoms");
  rules.rules = source.elements<std::int32_t>("rules");
  rules.fluents = source.elements<std::int32_t>("fluents");
  rules.does = source.elements<std::int32_t>("does");
  rules.move_start = source.elements<std::int32_t>("move_start");
  rules.legal = source.elements<std::int32_t>("legal");
  rules.terminal = read<std::int32_t>(value, "terminal");
  rules.goals = source.elements<std::int32_t>("goals");
  rules.next = source.elements<std::int32_t>("next");
  return rules;
}

// Asks Python whether to go on. An exception of `tick` stays pending until the GIL is taken next.
bool wants_stop(nb::handle tick) {
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) return true;
  PyObject* answer = PyObject_CallNoArgs(tick.ptr());
  Py_XDECREF(answer);
  return answer == nullptr;
}

nb::tuple arrays_of(const Circuit& circuit) {
  std::vector<std::int32_t> loops;
  for (const Loop loop : circuit.loops) {
    loops.push_back(static_cast<std::int32_t>(loop.first));
    loops.push_back(static_cast<std::int32_t>(loop.last));
  }
  return nb::make_tuple(to_numpy(circuit.sets.start()), to_numpy(circuit.sets.values()),
                        to_numpy(circuit.gates.start()), to_numpy(circuit.gates.values()), circuit.n_state_gates,
                        to_numpy(loops).cast().attr("reshape")(-1, 2), to_numpy(circuit.loop_initial),
                        to_numpy(circuit.legal), circuit.terminal, to_numpy(circuit.goal_literal),
                        to_numpy(circuit.next));
}

nb::tuple compile(nb::handle program, const nb::callable& tick, bool simplify) {
  const GroundRules rules = read_rules(program);
  Circuit circuit;
  try {
    const nb::gil_scoped_release release;
    Pace pace([&tick] { return wants_stop(tick); });
    CompiledRules compiled = compile_rules(rules, pace);
    const Nodes nodes =
        simplify ? simplified(std::move(compiled.nodes), compiled.roots, pace) : std::move(compiled.nodes);
    circuit = lay_out(nodes, compiled.roots, pace);
  } catch (const Pace::Stopped&) {
    throw nb::python_error();
  }
  return arrays_of(circuit);
}

}  // namespace

void bind_compiler(nb::module_& m) {
  nb::exception<NegativeCycle>(m, "NegativeCycleError", PyExc_ValueError);
  nb::exception<MovesInState>(m, "MovesInStateError", PyExc_ValueError);

  m.def(
      "compile_rules", &compile, "rules"_a, "tick"_a, "simplify"_a = true,
      "The arrays of the circuit of a GroundRules value (agent/reasoner/compile.py), in the order of CircuitArrays"
      " there. `tick` is called every few milliseconds; an exception of it ends the work. Raises NegativeCycleError if"
      " an atom depends on its own negation, MovesInStateError if legal, terminal or goal depends on the moves of the"
      " step.");

  nb::class_<RuleCollector>(m, "RuleCollector", "Takes ground rules from a grounder that calls a C function.")
      .def(nb::init<>())
      .def_prop_ro(
          "callback", [](const RuleCollector&) { return reinterpret_cast<std::uintptr_t>(&collect_rule); },
          "Address of the function: bool(bool choice, const uint32_t* head, size_t, const int32_t* body, size_t,"
          " void* collector).")
      .def_prop_ro(
          "address", [](const RuleCollector& self) { return reinterpret_cast<std::uintptr_t>(&self); },
          "The last argument that the function wants.")
      .def(
          "rules", [](const RuleCollector& self) { return to_numpy(self.rules()); },
          "The rules without choice: int32, each as head, length of the body, body.")
      .def_prop_ro("n_atoms", &RuleCollector::n_atoms, "One more than the largest atom in a rule.")
      .def("derives", &RuleCollector::derives, "atom"_a, "Whether some rule may make an atom true.");
}

}  // namespace gdl
