// LaneEngine in Python, for tools and tests that look at many states in lock-step.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <utility>

#include "bindings/attributes.hpp"
#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "bindings/read_decisive_moves.hpp"
#include "hardware/instruction_set.hpp"
#include "lanes/lane_engine.hpp"
#include "machine/machine.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gdl {

namespace {

// Checks the arguments that come from Python; the engine itself only asserts.
class BoundLanes {
 public:
  BoundLanes(const Machine& machine, int lanes, const std::optional<std::string>& isa, const std::string& decisive)
      : circuit_(machine.circuit()),
        engine_(make_lane_engine(
            circuit_, machine.programs(TurnPolicy::Ignore, preferences_for(machine, read_decisive_moves(decisive))),
            lanes, isa ? *isa : chosen_instruction_set())),
        words_(static_cast<std::size_t>(circuit_.state_words())) {}

  int lanes() const { return engine_->lanes(); }
  std::string instruction_set() const { return engine_->instruction_set(); }

  void load(int lane, const Array<std::uint64_t>& state, std::uint64_t seed) {
    check_lane(lane);
    if (state.size() != words_) throw nb::value_error("load: the state has the wrong number of words");
    engine_->load(lane, state.data(), seed);
  }
  void evaluate() { engine_->evaluate(); }
  NumpyArray<std::uint64_t, 1> terminal() const {
    std::vector<std::uint64_t> mask(mask_words());
    engine_->terminal(mask.data());
    return to_numpy(std::move(mask));
  }
  NumpyArray<std::int32_t, 1> goals(int lane) const {
    check_lane(lane);
    std::vector<std::int32_t> goals(static_cast<std::size_t>(circuit_.n_roles));
    engine_->goals(lane, goals.data());
    return to_numpy(std::move(goals));
  }
  NumpyArray<std::uint64_t, 1> read_states(const Array<std::uint64_t>& mask) const {
    check_mask(mask);
    std::vector<std::uint64_t> states(static_cast<std::size_t>(lanes()) * words_);
    engine_->read_states(mask.data(), states.data());
    return to_numpy(std::move(states));
  }
  // Lists rows by a method of the engine.
  template <void (LaneEngine::*List)(const std::uint64_t*, LegalLists&) const>
  nb::list rows_of(const Array<std::uint64_t>& mask) const {
    return listed(mask, [&](LegalLists& lists) { (engine_.get()->*List)(mask.data(), lists); });
  }
  nb::list preferred_rows(const Array<std::uint64_t>& mask) const {
    return listed(mask, [&](LegalLists& lists) { engine_->list_preferred(mask.data(), 0, lists); });
  }
  void choose(const Array<std::uint64_t>& mask) {
    check_mask(mask);
    engine_->choose(mask.data());
  }
  void choose_preferred(const Array<std::uint64_t>& mask, const Array<std::uint64_t>& preferring) {
    check_mask(mask);
    check_mask(preferring);
    const std::uint64_t* masks[] = {preferring.data()};
    engine_->choose(mask.data(), masks);
  }
  void force(int lane, std::int32_t row) {
    check_lane(lane);
    if (row < 0 || row >= circuit_.n_rows()) throw nb::value_error("force: no such row");
    engine_->force(lane, row);
  }
  void advance() { engine_->advance(); }

 private:
  template <class List>
  nb::list listed(const Array<std::uint64_t>& mask, List list) const {
    check_mask(mask);
    LegalLists lists;
    list(lists);
    nb::list result;
    for (const auto& rows : lists.rows) result.append(to_numpy(rows));
    return result;
  }
  std::size_t mask_words() const { return static_cast<std::size_t>(lanes()) / 64; }
  void check_lane(int lane) const {
    if (lane < 0 || lane >= lanes()) throw nb::value_error("no such lane");
  }
  void check_mask(const Array<std::uint64_t>& mask) const {
    if (mask.size() != mask_words()) throw nb::value_error("a lane mask has lanes / 64 words");
  }

  const Circuit& circuit_;
  std::unique_ptr<LaneEngine> engine_;
  std::size_t words_;
};

}  // namespace

void bind_lanes(nb::module_& m) {
  nb::class_<BoundLanes>(
      m, "Lanes",
      "Many games in lock-step; see agent/native/README.md. One step is evaluate(); look; choose() or "
      "force(); advance(). A lane mask is uint64[lanes / 64].")
      .def(nb::init<const Machine&, int, const std::optional<std::string>&, const std::string&>(), "machine"_a,
           "lanes"_a = 512, "isa"_a = nb::none(), "decisive"_a = "off", nb::keep_alive<1, 2>())
      .def_prop_ro("lanes", &BoundLanes::lanes)
      .def_prop_ro("instruction_set", &BoundLanes::instruction_set)
      .def("load", &BoundLanes::load, "lane"_a, "state"_a, "seed"_a)
      .def("evaluate", &BoundLanes::evaluate)
      .def("terminal", &BoundLanes::terminal, "Mask of the lanes whose state is terminal.")
      .def("goals", &BoundLanes::goals, "lane"_a, "int32[n_roles], -1 where the rules give none.")
      .def("read_states", &BoundLanes::read_states, "mask"_a, "uint64[lanes * state_words], zero for other lanes.")
      .def("list_legal", &BoundLanes::rows_of<&LaneEngine::list_legal>, "mask"_a,
           "One int32 array of rows per lane, empty for other lanes.")
      .def("list_preferred", &BoundLanes::preferred_rows, "mask"_a,
           "The rows among which choose_preferred() chooses, as list_legal() lists them.")
      .def("choose", &BoundLanes::choose, "mask"_a)
      .def("choose_preferred", &BoundLanes::choose_preferred, "mask"_a, "preferring"_a,
           "Chooses in the lanes of `mask`, and among preferred rows in those of `preferring`.")
      .def("list_chosen", &BoundLanes::rows_of<&LaneEngine::list_chosen>, "mask"_a,
           "The rows chosen in each lane, empty for other lanes.")
      .def("force", &BoundLanes::force, "lane"_a, "row"_a)
      .def("advance", &BoundLanes::advance);
}

}  // namespace gdl
