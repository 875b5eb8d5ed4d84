// Search of puzzles, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/attributes.hpp"
#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "machine/machine.hpp"
#include "puzzle/puzzle_search.hpp"

namespace nb = nanobind;

namespace gdl {
namespace {

PuzzleWork read_work(const std::string& name) {
  if (name == "alternate") return PuzzleWork::Alternate;
  if (name == "systematic first") return PuzzleWork::SystematicFirst;
  if (name == "rollouts only") return PuzzleWork::RolloutsOnly;
  throw std::invalid_argument("the work of a puzzle search is 'alternate', 'systematic first' or 'rollouts only'");
}

void make_search(PuzzleSearch* self, const Machine& machine, std::size_t max_bytes, const std::string& work) {
  if (machine.circuit().n_roles != 1) throw std::invalid_argument("a puzzle has one role");
  const PuzzleWork read = read_work(work);
  const nb::gil_scoped_release released;  // the programs of a large game take many seconds
  new (self) PuzzleSearch(machine.circuit(), machine.programs(TurnPolicy::Ignore), machine.circuit_without_dead_ends(),
                          max_bytes, read);
}

// The report of Thinker.think(), in which all visits are those of the move that the search would make, with the goal of
// the best line; then the goal at the end of the moves that it would make (-1: they do not lead to an end), and the
// moves.
nb::tuple as_tuple(const PuzzleKnowledge& known) {
  std::vector<std::int64_t> visits(known.legal.size()), payoffs(visits), verdicts(visits);
  const auto moves = known.moves();
  if (!moves.empty()) {
    const auto place =
        static_cast<std::size_t>(std::ranges::lower_bound(known.legal, moves.front()) - known.legal.begin());
    visits[place] = std::max<std::int64_t>(known.seen, 1);
    payoffs[place] = visits[place] * std::max(known.best.goal, 0);
    verdicts[place] = known.proven ? 1 : 0;
  }
  return nb::make_tuple(to_numpy(known.legal), to_numpy(std::move(visits)), to_numpy(std::move(payoffs)),
                        to_numpy(std::move(verdicts)), known.proven, known.states, known.distinct, known.bytes,
                        known.goal(), to_numpy(std::vector<std::int32_t>(moves.begin(), moves.end())));
}

void check_state(const PuzzleSearch& search, const Array<std::uint64_t>& state) {
  if (state.size() != static_cast<std::size_t>(search.circuit().state_words())) {
    throw std::invalid_argument("the state must fit the game");
  }
}

nb::tuple think(PuzzleSearch& search, Array<std::uint64_t> state, Array<std::int32_t>, std::uint64_t seed,
                std::int64_t states, double seconds) {
  check_state(search, state);
  PuzzleKnowledge known;
  {
    const nb::gil_scoped_release released;
    known = search.think({state.data(), state.size()}, seed, {.states = states, .seconds = seconds});
  }
  return as_tuple(known);
}

}  // namespace

void bind_puzzle(nb::module_& m) {
  nb::class_<PuzzleSearch>(m, "PuzzleSearch",
                           "The search of a single player, which keeps the best line that it has ever seen. It is used "
                           "as a Thinker is.")
      .def("__init__", &make_search, nb::arg("machine"), nb::arg("max_bytes"), nb::arg("work") = "alternate",
           nb::keep_alive<1, 2>(),
           "`work`: `alternate` between best-first search and nested rollouts, `systematic first` or `rollouts only`.")
      .def("think", &think, nb::arg("state"), nb::arg("last_rows"), nb::arg("seed"), nb::arg("states"),
           nb::arg("seconds"),
           "Searches until so many states were generated, the seconds are over or `stopped` is set; 0 is no limit. "
           "`last_rows` is not used. Returns what Thinker.think() does, with states in the place of playouts, then the "
           "goal at the end of the line that the search would play (-1: it does not lead to an end), and its rows: the "
           "best line to an end, or, where that brings nothing, the moves towards the most promising state.")
      .def(
          "known",
          [](PuzzleSearch& search, Array<std::uint64_t> state, std::uint64_t seed) {
            return as_tuple(search.known({state.data(), state.size()}, seed));
          },
          nb::arg("state"), nb::arg("seed"), "As Thinker.known(), with the values that `think` returns.")
      .def(
          "line",
          [](const PuzzleSearch& search, std::int32_t first, std::size_t longest) {
            return to_numpy(search.line(first, longest));
          },
          nb::arg("first"), nb::arg("longest"), "Rows of the moves that the last search would make, if `first` is one.")
      .def_prop_rw("stopped", &PuzzleSearch::stopped, &PuzzleSearch::set_stopped);
}

}  // namespace gdl
