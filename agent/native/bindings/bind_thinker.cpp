// Search against a clock, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/attributes.hpp"
#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "bindings/read_decisive_moves.hpp"
#include "machine/machine.hpp"
#include "match/thinker.hpp"

namespace nb = nanobind;

namespace gdl {
namespace {

void make_thinker(Thinker* self, const Machine& machine, nb::handle player, int role) {
  const Circuit& circuit = machine.circuit();
  if (role < 0 || role >= circuit.n_roles) throw std::invalid_argument("the game has no such role");
  PlayerSpec spec = read_player(player, circuit.n_roles);
  const Preferences preferences = settle_preferences(machine, {&spec, 1});
  const nb::gil_scoped_release released;  // the programs of a large game take many seconds
  new (self) Thinker(circuit, machine.programs(TurnPolicy::Ignore), machine.programs(TurnPolicy::Ignore, preferences),
                     std::move(spec), role);
}

nb::tuple as_tuple(const Thoughts& found) {
  return nb::make_tuple(to_numpy(found.rows), to_numpy(found.visits), to_numpy(found.payoffs), to_numpy(found.verdicts),
                        found.solved, found.playouts, found.nodes, found.bytes);
}

nb::tuple think(Thinker& thinker, Array<std::uint64_t> state, Array<std::int32_t> last_rows, std::uint64_t seed,
                std::int64_t playouts, double seconds) {
  const Circuit& circuit = thinker.circuit();
  if (state.size() != static_cast<std::size_t>(circuit.state_words()) ||
      (last_rows.size() != 0 && last_rows.size() != static_cast<std::size_t>(circuit.n_roles))) {
    throw std::invalid_argument("state and last_rows must fit the game");
  }
  Thoughts found;
  {
    const nb::gil_scoped_release released;
    found = thinker.think({state.data(), state.size()}, {last_rows.data(), last_rows.size()}, seed,
                          {.playouts = playouts, .seconds = seconds});
  }
  return as_tuple(found);
}

// Each search thread has a heap of its own, and memory that an ended thread left free there is lost to other threads.
void release_memory() {
#ifdef __GLIBC__
  const nb::gil_scoped_release released;
  malloc_trim(0);
#endif
}

}  // namespace

void bind_thinker(nb::module_& m) {
  m.def("release_memory", &release_memory, "Gives memory that nothing uses back to the system.");
  nb::class_<Thinker>(m, "Thinker", "One role's search; its tree is kept from move to move.")
      .def("__init__", &make_thinker, nb::arg("machine"), nb::arg("player"), nb::arg("role"), nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>())
      .def("think", &think, nb::arg("state"), nb::arg("last_rows"), nb::arg("seed"), nb::arg("playouts"),
           nb::arg("seconds"),
           "Searches until the playouts are made, the seconds are over or `stopped` is set; 0 is no limit. `last_rows` "
           "is empty at the start of a match. Returns rows, visits, payoffs, verdicts, solved, playouts, nodes and "
           "bytes.")
      .def(
          "known",
          [](Thinker& thinker, Array<std::uint64_t> state, std::uint64_t seed) {
            return as_tuple(thinker.known({state.data(), state.size()}, seed));
          },
          nb::arg("state"), nb::arg("seed"),
          "What the last search that has begun knew of the state a few milliseconds ago, as `think` returns it, "
          "without "
          "waiting for it; no rows if it searches another state, no playouts if it has another seed. It keeps the GIL, "
          "so one thread reads at a time.")
      .def(
          "line",
          [](const Thinker& thinker, std::int32_t first, std::size_t longest) {
            return to_numpy(thinker.line(first, longest));
          },
          nb::arg("first"), nb::arg("longest"),
          "Rows of the joint moves it expects when its role moves `first`: those of all roles, one move after another.")
      .def_prop_rw("stopped", &Thinker::stopped, &Thinker::set_stopped);
}

}  // namespace gdl
