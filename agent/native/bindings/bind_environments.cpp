// Environments in Python: arrays in, arrays out.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "bindings/attributes.hpp"
#include "bindings/bindings.hpp"
#include "bindings/position_arrays.hpp"
#include "bindings/stop.hpp"
#include "hardware/instruction_set.hpp"
#include "lanes/environments.hpp"
#include "machine/machine.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gdl {

namespace {

template <class Element>
using AnswerArray = nb::ndarray<Element, nb::c_contig, nb::device::cpu>;

// Checks the arguments that come from Python.
class BoundEnvironments {
 public:
  BoundEnvironments(const Machine& machine, std::size_t n, const Array<std::int32_t>& waits, bool same_turn,
                    const std::optional<std::string>& isa)
      : circuit_(machine.circuit()), n_(n), turns_(same_turn ? &machine.turns() : nullptr) {
    if (n == 0) throw nb::value_error("there must be a game");
    if (waits.size() != roles()) throw nb::value_error("waits: give a row, or -1, for each role");
    EnvironmentOptions options{.n = n,
                               .period = turns_ == nullptr ? 1 : turns_->count(),
                               .waits = {waits.data(), waits.data() + waits.size()}};
    for (const std::int32_t row : options.waits) {
      if (row < -1 || row >= circuit_.n_rows()) throw nb::value_error("waits: no such row");
    }
    const nb::gil_scoped_release release;
    environments_ = make_environments(circuit_, machine.programs(same_turn ? TurnPolicy::Follow : TurnPolicy::Ignore),
                                      std::move(options), isa ? *isa : chosen_instruction_set());
  }

  std::string instruction_set() const { return environments_->instruction_set(); }
  std::uint64_t moves() const { return environments_->moves(); }
  std::uint64_t games() const { return environments_->games(); }

  void reset(std::uint64_t seed) {
    const nb::gil_scoped_release release;
    environments_->reset(seed);
  }

  void renew(const Array<bool>& games) {
    if (games.size() != n_) throw nb::value_error("renew: say it of each game");
    environments_->renew(reinterpret_cast<const std::uint8_t*>(games.data()));
  }

  void place(const PackedStates& states) {
    check_states(circuit_, states);
    if (states.shape(0) != n_) throw nb::value_error("place: give a state for each game");
    if (const int used = circuit_.n_fluents % 64; used != 0) {
      for (std::size_t game = 0; game < n_; ++game) {
        if (states(game, states.shape(1) - 1) >> used != 0) {
          throw nb::value_error("place: a state has a bit past the last fluent");
        }
      }
    }
    const int phase = phase_of(states);
    const nb::gil_scoped_release release;
    environments_->place(states.data(), phase);
  }

  void step(const Array<std::int32_t, 2>& actions) {
    if (actions.shape(0) != n_ || (actions.shape(1) != 1 && actions.shape(1) != roles())) {
      throw nb::value_error("step: give a row, or a row for each role, for each game");
    }
    const nb::gil_scoped_release release;
    environments_->step(actions.data(), actions.shape(1));
  }

  void step_random(std::uint64_t steps) {
    {
      const nb::gil_scoped_release release;
      environments_->step_random(steps, stop_requested);
    }
    throw_if_stopped();
  }

  void draw(const AnswerArray<std::int32_t>& out) {
    check_size(out.size(), roles());
    const nb::gil_scoped_release release;
    environments_->draw(out.data());
  }
  void terminated(const AnswerArray<bool>& out) const {
    check_size(out.size(), 1);
    environments_->terminated(bytes(out));
  }
  void rewards(const AnswerArray<std::int32_t>& out) {
    check_size(out.size(), roles());
    environments_->rewards(out.data());
  }
  void to_move(const AnswerArray<bool>& out) const {
    check_size(out.size(), roles());
    environments_->to_move(bytes(out));
  }
  void legal(std::int32_t first, std::int32_t last, const AnswerArray<bool>& out) const {
    if (first < 0 || last < first || last > circuit_.n_rows()) throw nb::value_error("legal: no such rows");
    check_size(out.size(), static_cast<std::size_t>(last - first));
    const nb::gil_scoped_release release;
    environments_->legal(first, last, bytes(out));
  }
  void facts(const Array<std::int32_t>& fluents, const AnswerArray<bool>& out) const {
    for (std::size_t i = 0; i < fluents.size(); ++i) {
      if (fluents.data()[i] >= circuit_.n_fluents) throw nb::value_error("facts: no such fluent");
    }
    check_size(out.size(), fluents.size());
    const nb::gil_scoped_release release;
    environments_->facts({fluents.data(), fluents.size()}, bytes(out));
  }
  void states(const AnswerArray<std::uint64_t>& out) const {
    check_size(out.size(), static_cast<std::size_t>(circuit_.state_words()));
    const nb::gil_scoped_release release;
    environments_->states(out.data());
  }

 private:
  std::size_t roles() const { return static_cast<std::size_t>(circuit_.n_roles); }
  static std::uint8_t* bytes(const AnswerArray<bool>& out) { return reinterpret_cast<std::uint8_t*>(out.data()); }
  void check_size(std::size_t size, std::size_t columns) const {
    if (size != n_ * columns) throw nb::value_error("the array for the answer has another size");
  }

  // The turn that all states are in; 0 where games need not agree in their turn.
  int phase_of(const PackedStates& states) const {
    if (turns_ == nullptr) return 0;
    const auto words = static_cast<std::size_t>(circuit_.state_words());
    const std::optional<int> turn = turns_->of(states.data());
    for (std::size_t game = 0; game < n_; ++game) {
      if (!turn || turns_->of(states.data() + game * words) != turn) {
        throw nb::value_error("place: the states are not all in the same turn of a match");
      }
    }
    return *turn;
  }

  const Circuit& circuit_;
  const std::size_t n_;
  const Turns* const turns_;  // null where games need not agree in their turn
  std::unique_ptr<Environments> environments_;
};

// An exception of Python for IllegalAction, whose arguments are the numbers of the game and of the column.
void translate_illegal_action(const std::exception_ptr& thrown, void* type) {
  try {
    std::rethrow_exception(thrown);
  } catch (const IllegalAction& error) {
    PyErr_SetObject(static_cast<PyObject*>(type), nb::make_tuple(error.game, error.column).ptr());
  }
}

}  // namespace

void bind_environments(nb::module_& m) {
  const nb::object illegal =
      nb::steal(PyErr_NewException("gdl_miner.agent._native.IllegalActionError", PyExc_ValueError, nullptr));
  m.attr("IllegalActionError") = illegal;
  nb::register_exception_translator(translate_illegal_action, illegal.ptr());

  nb::class_<BoundEnvironments>(
      m, "Environments",
      "Many games that step together; see agent/native/README.md. Actions are rows, -1 to have one drawn. Answers are "
      "written to arrays.")
      .def(nb::init<const Machine&, std::size_t, const Array<std::int32_t>&, bool, const std::optional<std::string>&>(),
           "machine"_a, "n"_a, "waits"_a, "same_turn"_a, "isa"_a = nb::none(), nb::keep_alive<1, 2>(),
           "Begins n games. `waits` has the row of each role's move `noop`, or -1. With `same_turn`, games begin "
           "anew when it is the first turn, so that all are in the same turn.")
      .def_prop_ro("instruction_set", &BoundEnvironments::instruction_set)
      .def_prop_ro("moves", &BoundEnvironments::moves, "Joint moves made.")
      .def_prop_ro("games", &BoundEnvironments::games, "Games that came to their end.")
      .def("reset", &BoundEnvironments::reset, "seed"_a)
      .def("renew", &BoundEnvironments::renew, "games"_a, "bool[n] which games begin anew when they are over.")
      .def("place", &BoundEnvironments::place, "states"_a, "Puts packed states into the games.")
      .def("step", &BoundEnvironments::step, "actions"_a, "int32[n, n_roles], or int32[n, 1] of any role.")
      .def("step_random", &BoundEnvironments::step_random, "steps"_a)
      .def("draw", &BoundEnvironments::draw, "out"_a, "int32[n, n_roles], -1 in games that are over.")
      .def("terminated", &BoundEnvironments::terminated, "out"_a, "bool[n]")
      .def("rewards", &BoundEnvironments::rewards, "out"_a, "int32[n, n_roles], of games that have just ended.")
      .def("to_move", &BoundEnvironments::to_move, "out"_a, "bool[n, n_roles]")
      .def("legal", &BoundEnvironments::legal, "first"_a, "last"_a, "out"_a, "bool[n, last - first]")
      .def("facts", &BoundEnvironments::facts, "fluents"_a, "out"_a, "bool[n, fluents]; none of negative numbers.")
      .def("states", &BoundEnvironments::states, "out"_a, "uint64[n, state_words]");
}

}  // namespace gdl
