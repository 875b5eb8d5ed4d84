// The Python class _native.Scorer(tables), with the tables of agent/features/native_tables.py.
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

#include "bindings/attributes.hpp"
#include "bindings/bindings.hpp"
#include "bindings/numpy_arrays.hpp"
#include "scoring/scorer.hpp"

namespace nb = nanobind;

namespace gdl {
namespace {

std::int32_t integer(nb::handle owner, const char* name) { return read<std::int32_t>(owner, name); }

template <class Element>
std::vector<Element> elements(nb::handle owner, const char* name) {
  return Attributes(owner, "knowledge tables").elements<Element>(name);
}

std::vector<std::int32_t> indices(nb::handle owner, const char* name) { return elements<std::int32_t>(owner, name); }

AutomatonTables read_automaton(nb::handle source) {
  return {.depth = integer(source, "depth"), .next = indices(source, "next"), .slot = indices(source, "slot")};
}

PatternGroupTables read_pattern_group(nb::handle source) {
  return {.neighbourhood = integer(source, "neighbourhood"),
          .mask = elements<std::uint64_t>(source, "mask"),
          .keys = elements<std::uint64_t>(source, "keys"),
          .slots = indices(source, "slots")};
}

ConditionTables read_conditions(nb::handle source) {
  return {.size = elements<std::uint8_t>(source, "size"),
          .item_start = indices(source, "item_start"),
          .item_conditions = indices(source, "item_conditions"),
          .fluent_start = indices(source, "fluent_start"),
          .fluent_items = indices(source, "fluent_items")};
}

NeighbourhoodTables read_neighbourhood(nb::handle source) {
  return {.relative = read<bool>(source, "relative"),
          .run_length = integer(source, "run_length"),
          .words = integer(source, "words"),
          .run_offset = indices(source, "run_offset"),
          .word_end = indices(source, "word_end"),
          .run_shift = indices(source, "run_shift")};
}

PlanTables read_plan(nb::handle source) {
  PlanTables plan;
  plan.acts = read<bool>(source, "acts");
  plan.always = integer(source, "always");
  plan.row_slot = indices(source, "row_slot");
  plan.slots = {.value = indices(source, "slot_value"),
                .start = indices(source, "slot_start"),
                .hit_condition = indices(source, "hit_condition"),
                .hit_value = indices(source, "hit_value")};
  plan.conditions = read_conditions(source.attr("conditions"));
  plan.distance_slot = indices(source, "distance_slot");
  plan.nearest = read_automaton(source.attr("nearest"));
  for (nb::handle line : source.attr("lines")) plan.lines.push_back(read_automaton(line));
  for (nb::handle group : source.attr("patterns")) plan.patterns.push_back(read_pattern_group(group));
  plan.seen = elements<std::uint8_t>(source, "seen");
  plan.rank_weight = indices(source, "rank_weight");
  return plan;
}

void read_board(nb::handle source, KnowledgeTables& tables) {
  tables.n_points = integer(source, "n_points");
  tables.n_pieces = integer(source, "n_pieces");
  tables.cells = elements<std::uint8_t>(source, "cells");
  tables.point_cell = indices(source, "point_cell");
  tables.copies = elements<std::uint16_t>(source, "copies");
  tables.fluent_cell = elements<std::uint16_t>(source, "fluent_cell");
  tables.fluent_piece = elements<std::uint8_t>(source, "fluent_piece");
  tables.row_target = indices(source, "row_target");
  tables.distance_id = indices(source, "distance_id");
  tables.nearest_length = integer(source, "nearest_length");
  tables.nearest = elements<std::uint16_t>(source, "nearest");
  tables.line_length = integer(source, "line_length");
  tables.lines = elements<std::uint16_t>(source, "lines");
  for (nb::handle each : source.attr("neighbourhoods")) tables.neighbourhoods.push_back(read_neighbourhood(each));
}

KnowledgeTables read_tables(nb::handle source) {
  if (integer(source, "version") != KnowledgeTables::FORMAT_VERSION) {
    throw nb::value_error("knowledge tables of another version; compile the knowledge again");
  }
  source.attr("validate")();
  KnowledgeTables tables;
  tables.n_roles = integer(source, "n_roles");
  tables.state_words = integer(source, "state_words");
  read_board(source, tables);
  for (nb::handle each : source.attr("plans")) tables.plans.push_back(read_plan(each));
  tables.base = integer(source, "base");
  tables.first_feature = read<bool>(source, "first_feature");
  tables.exponential = read<bool>(source, "exponential");
  tables.exponential_weight = elements<std::uint32_t>(source, "exponential_weight");
  tables.exponential_low = integer(source, "exponential_low");
  return tables;
}

using States = Array<std::uint64_t, 2>;
using LastRows = Array<std::int32_t, 2>;

void check_arguments(const KnowledgeTables& tables, int phase, int role, const States& states, const LastRows& last,
                     const Array<std::int64_t>& start, const Array<std::int32_t>& rows) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw nb::value_error(what);
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

NumpyArray<std::uint32_t, 1> score_states(const Scorer& scorer, int phase, int role, const States& states,
                                          const LastRows& last, const Array<std::int64_t>& start,
                                          const Array<std::int32_t>& rows) {
  check_arguments(scorer.tables(), phase, role, states, last, start, rows);
  std::vector<std::uint32_t> weights(rows.size());
  {
    nb::gil_scoped_release release;
    Scorer::Scratch scratch;
    scorer.fit(scratch);
    for (std::size_t state = 0; state < states.shape(0); ++state) {
      const auto first = static_cast<std::size_t>(start(state));
      const std::size_t count = static_cast<std::size_t>(start(state + 1)) - first;
      scorer.score(static_cast<ScoringPhase>(phase), role, states.data() + state * states.shape(1),
                   last.data() + state * last.shape(1), {rows.data() + first, count}, {weights.data() + first, count},
                   scratch);
    }
  }
  return to_numpy(std::move(weights));
}

}  // namespace

void bind_scorer(nb::module_& m) {
  nb::class_<Scorer>(m, "Scorer", "Integer weights of moves from compiled knowledge.")
      .def(
          "__init__", [](Scorer* self, nb::handle tables) { new (self) Scorer(read_tables(tables)); },
          nb::arg("tables"))
      .def(
          "acts_in",
          [](const Scorer& self, int phase, int role) {
            if (phase < 0 || phase > 1 || role < 0 || role >= self.tables().n_roles) {
              throw nb::value_error("no such phase or role");
            }
            return self.acts_in(static_cast<ScoringPhase>(phase), role);
          },
          nb::arg("phase"), nb::arg("role"), "Whether some feature acts for a role in a phase.")
      .def("score", &score_states, nb::arg("phase"), nb::arg("role"), nb::arg("states"), nb::arg("last_rows"),
           nb::arg("start"), nb::arg("rows"),
           "Weights of rows[start[i]:start[i + 1]] in states[i] after last_rows[i] (-1 before the first move).");
}

}  // namespace gdl
