// The circuit of a turn: its fluents are constants, and so is everything that follows from them.
#include <algorithm>
#include <span>

#include "compiler/circuit_import.hpp"
#include "compiler/circuit_layout.hpp"
#include "program/turns.hpp"

namespace gdl {
namespace {

// [row] whether it is the only move of its role, and always legal.
std::vector<std::uint8_t> forced_rows(std::span<const std::int32_t> move_start, const std::vector<Literal>& legal) {
  std::vector<std::uint8_t> forced(legal.size(), 0);
  for (std::size_t role = 0; role + 1 < move_start.size(); ++role) {
    const auto first = legal.begin() + move_start[role], last = legal.begin() + move_start[role + 1];
    const auto possible = std::find_if(first, last, [](Literal literal) { return literal != FALSE_LITERAL; });
    if (possible != last && *possible == TRUE_LITERAL && std::count(first, last, FALSE_LITERAL) == last - first - 1) {
      forced[static_cast<std::size_t>(possible - legal.begin())] = 1;
    }
  }
  return forced;
}

// RowList that are never legal leave the sets. A set with a forced row is TRUE.
void import_live_sets(const Circuit& circuit, const std::vector<Literal>& legal, CircuitImport& imported,
                      Nodes& nodes) {
  const std::vector<std::uint8_t> forced = forced_rows(circuit.move_start, legal);
  std::vector<std::int32_t> live;
  for (std::size_t set = 0; set < circuit.sets.size(); ++set) {
    live.clear();
    bool always = false;
    for (const std::int32_t row : circuit.sets[set]) {
      if (legal[row] != FALSE_LITERAL) live.push_back(row);
      always = always || forced[row] != 0;
    }
    imported.replace(circuit.set_slot(set), always ? TRUE_LITERAL : nodes.plain_set(live));
  }
}

}  // namespace

Circuit circuit_of_turn(const Circuit& circuit, const Turns& turns, int turn) {
  const Roots roots = roots_of(circuit);
  Nodes nodes(circuit.n_fluents, circuit.move_start);
  CircuitImport imported(circuit, nodes, roots);
  for (std::size_t i = 0; i < turns.fluents.size(); ++i) {
    const bool holds = turns.values[turn][i] != 0;
    imported.replace(circuit.fluent_slot(turns.fluents[i]), holds ? TRUE_LITERAL : FALSE_LITERAL);
  }
  imported.import_state_gates();
  import_live_sets(circuit, imported(circuit.legal), imported, nodes);
  imported.import_move_gates();
  return lay_out_like(circuit, nodes, renamed(roots, imported));
}

}  // namespace gdl
