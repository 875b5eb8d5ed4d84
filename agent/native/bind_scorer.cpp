// Scorer in Python: _native.Scorer(tables) with tables of agent/knowledge/tables.py.
#include <nanobind/ndarray.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "scorer.hpp"

namespace nb = nanobind;

namespace gdl {
namespace {

template <typename T>
std::vector<T> read_array(const nb::object& owner, const char* name) {
  const auto array = nb::cast<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(owner.attr(name));
  return std::vector<T>(array.data(), array.data() + array.size());
}

template <typename T>
T read_value(const nb::object& owner, const char* name) {
  return nb::cast<T>(owner.attr(name));
}

std::vector<std::int32_t> read_indices(const nb::object& owner, const char* name) {
  return read_array<std::int32_t>(owner, name);
}

PieceAutomaton read_automaton(const nb::object& source) {
  return PieceAutomaton{.next = read_indices(source, "next"), .slot = read_indices(source, "slot")};
}

Plan read_plan(const nb::object& source) {
  Plan plan;
  plan.acts = read_value<bool>(source, "acts");
  plan.always = read_value<std::int32_t>(source, "always");
  plan.row_slot = read_indices(source, "row_slot");
  const auto values = read_indices(source, "slot_value");
  const auto starts = read_indices(source, "slot_start");
  for (std::size_t slot = 0; slot < values.size(); ++slot) {
    plan.slots.push_back({.value = values[slot], .first_hit = starts[slot], .last_hit = starts[slot + 1]});
  }
  plan.hit_condition = read_indices(source, "hit_condition");
  plan.hit_value = read_indices(source, "hit_value");
  plan.distance_slot = read_indices(source, "distance_slot");
  plan.nearest = read_automaton(source.attr("nearest"));
  for (nb::handle line : source.attr("lines")) plan.lines.push_back(read_automaton(nb::borrow(line)));
  for (nb::handle each : source.attr("patterns")) {
    const nb::object group = nb::borrow(each);
    plan.patterns.push_back(make_pattern_group(read_value<std::int32_t>(group, "neighbourhood"),
                                               read_array<std::uint64_t>(group, "mask"),
                                               read_array<std::uint64_t>(group, "keys"), read_indices(group, "slots")));
  }
  plan.rank_weight = read_indices(source, "rank_weight");
  return plan;
}

void read_search_parameters(const nb::object& source, ScorerTables& tables) {
  tables.uct_c = read_value<double>(source, "uct_c");
  tables.expansions = read_value<double>(source, "expansions");
  tables.bias = read_value<double>(source, "bias");
  tables.fade = read_value<double>(source, "fade");
  tables.widening = read_value<bool>(source, "widening");
  tables.widening_visits = read_value<std::int32_t>(source, "widening_visits");
  tables.widening_moves = read_value<std::int32_t>(source, "widening_moves");
  tables.widening_growth = read_value<double>(source, "widening_growth");
}

ScorerTables read_tables(const nb::object& source) {
  if (read_value<int>(source, "version") != ScorerTables::FORMAT_VERSION) {
    throw std::invalid_argument("knowledge tables of another version; compile the knowledge again");
  }
  source.attr("validate")();
  ScorerTables tables;
  tables.n_roles = read_value<std::int32_t>(source, "n_roles");
  tables.state_words = read_value<std::int32_t>(source, "state_words");
  tables.n_points = read_value<std::int32_t>(source, "n_points");
  tables.n_pieces = read_value<std::int32_t>(source, "n_pieces");
  tables.fluent_point = read_indices(source, "fluent_point");
  tables.fluent_piece = read_array<std::uint8_t>(source, "fluent_piece");
  tables.row_target = read_indices(source, "row_target");
  tables.distance_id = read_indices(source, "distance_id");
  tables.nearest = read_indices(source, "nearest");
  tables.line_length = read_value<std::int32_t>(source, "line_length");
  tables.lines = read_indices(source, "lines");
  tables.key_bits = read_value<std::int32_t>(source, "key_bits");
  for (nb::handle each : source.attr("neighbourhoods")) {
    const nb::object around = nb::borrow(each);
    tables.neighbourhoods.push_back({.entries = read_value<std::int32_t>(around, "entries"),
                                     .words = read_value<std::int32_t>(around, "words"),
                                     .points = read_indices(around, "points")});
  }
  tables.condition_start = read_indices(source, "condition_start");
  tables.item_start = read_indices(source, "item_start");
  tables.item_fluents = read_indices(source, "item_fluents");
  for (nb::handle each : source.attr("plans")) tables.plans.push_back(read_plan(nb::borrow(each)));
  tables.base = read_value<std::int32_t>(source, "base");
  tables.first_feature = read_value<bool>(source, "first_feature");
  tables.exponential = read_value<bool>(source, "exponential");
  tables.exponential_weight = read_array<std::uint32_t>(source, "exponential_weight");
  tables.exponential_low = read_value<std::int32_t>(source, "exponential_low");
  read_search_parameters(source, tables);
  return tables;
}

using StateArray = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using RowArray = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using LastArray = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using StartArray = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using WeightArray = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>;

void check_arguments(const ScorerTables& tables, int phase, int role, const StateArray& states, const LastArray& last,
                     const StartArray& start, const RowArray& rows) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
  };
  const auto n_rows = static_cast<std::int32_t>(tables.row_target.size());
  require(phase == 0 || phase == 1, "phase is 0 (playout) or 1 (selection)");
  require(role >= 0 && role < tables.n_roles, "no such role");
  require(states.shape(1) == static_cast<std::size_t>(tables.state_words), "states have the wrong number of words");
  require(last.shape(0) == states.shape(0) && last.shape(1) == static_cast<std::size_t>(tables.n_roles),
          "last_rows is not [state, role]");
  require(start.size() == states.shape(0) + 1 && start(0) == 0, "start is not [state + 1] from 0");
  for (std::size_t state = 0; state < states.shape(0); ++state) {
    require(start(state) <= start(state + 1), "start does not ascend");
  }
  require(start(states.shape(0)) == static_cast<std::int64_t>(rows.size()), "start does not end at the last row");
  for (std::size_t row = 0; row < rows.size(); ++row) require(rows(row) >= 0 && rows(row) < n_rows, "no such row");
  for (std::size_t each = 0; each < last.size(); ++each) require(last.data()[each] < n_rows, "no such last row");
}

WeightArray score_states(const Scorer& scorer, int phase, int role, const StateArray& states, const LastArray& last,
                         const StartArray& start, const RowArray& rows) {
  check_arguments(scorer.tables(), phase, role, states, last, start, rows);
  auto weights = std::make_unique<std::uint32_t[]>(rows.size());
  {
    nb::gil_scoped_release release;
    Scorer::Scratch scratch = scorer.make_scratch();
    for (std::size_t state = 0; state < states.shape(0); ++state) {
      const auto first = static_cast<std::size_t>(start(state));
      const std::size_t count = static_cast<std::size_t>(start(state + 1)) - first;
      scorer.score(static_cast<Phase>(phase), role, states.data() + state * states.shape(1),
                   last.data() + state * last.shape(1), {rows.data() + first, count}, {weights.get() + first, count},
                   scratch);
    }
  }
  std::uint32_t* data = weights.release();
  const nb::capsule owner(data, [](void* memory) noexcept { delete[] static_cast<std::uint32_t*>(memory); });
  return WeightArray(data, {rows.size()}, owner);
}

}  // namespace

void bind_scorer(nb::module_& m) {
  nb::class_<Scorer>(m, "Scorer", "Integer weights of moves from compiled knowledge.")
      .def(
          "__init__", [](Scorer* self, const nb::object& tables) { new (self) Scorer(read_tables(tables)); },
          nb::arg("tables"))
      .def(
          "acts_in",
          [](const Scorer& self, int phase, int role) {
            if (phase < 0 || phase > 1 || role < 0 || role >= self.tables().n_roles) {
              throw std::invalid_argument("no such phase or role");
            }
            return self.acts_in(static_cast<Phase>(phase), role);
          },
          nb::arg("phase"), nb::arg("role"), "Whether some feature acts for a role in a phase.")
      .def("score", &score_states, nb::arg("phase"), nb::arg("role"), nb::arg("states"), nb::arg("last_rows"),
           nb::arg("start"), nb::arg("rows"),
           "Weights of rows[start[i]:start[i + 1]] in states[i] after last_rows[i] (-1 before the first move).");
}

}  // namespace gdl
