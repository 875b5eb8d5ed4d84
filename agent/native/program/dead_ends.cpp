#include "program/dead_ends.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/circuit_import.hpp"
#include "compiler/circuit_layout.hpp"
#include "compiler/simplifier.hpp"
#include "program/after_moves.hpp"

namespace gdl {
namespace {

// [literal of a circuit without loops] a literal over nodes that is false only where that literal, which depends on the
// state alone, cannot hold, now or later.
std::vector<Literal> possibilities(const Circuit& circuit, Nodes& nodes) {
  std::vector<Literal> possible(2 * std::size_t{circuit.n_slots()}, TRUE_LITERAL);
  possible[FALSE_LITERAL] = FALSE_LITERAL;
  for (std::int32_t fluent = 0; fluent < circuit.n_fluents; ++fluent) {
    const Literal own = literal_of(circuit.fluent_slot(static_cast<std::size_t>(fluent)));
    const Literal node = nodes.fluent(static_cast<std::uint32_t>(fluent));
    if (circuit.is_final(fluent, false)) possible[own] = node;
    if (circuit.is_final(fluent, true)) possible[negated(own)] = negated(node);
  }
  for (std::size_t gate = 0; gate < circuit.n_state_gates; ++gate) {
    std::vector<Literal> hold, fail;
    for (const Literal literal : circuit.gates[gate]) {
      hold.push_back(possible[literal]);
      fail.push_back(possible[negated(literal)]);
    }
    const Literal own = literal_of(circuit.gate_slot(gate));
    possible[own] = nodes.conjunction(hold);
    possible[negated(own)] = nodes.disjunction(fail);
  }
  return possible;
}

}  // namespace

std::optional<Circuit> without_dead_ends(const Circuit& circuit, const MutualExclusion& exclusion) {
  if (!circuit.loops.empty() || circuit.goal_literal.empty()) return std::nullopt;
  Nodes nodes(static_cast<std::uint32_t>(circuit.n_fluents), circuit.move_start);
  Roots roots = import_roots(circuit, nodes, roots_of(circuit));
  const std::vector<Literal> of_circuit = possibilities(circuit, nodes);
  const std::int32_t largest = circuit.largest_goals().front();
  std::vector<Literal> holding, possible;
  for (std::size_t goal = 0; goal < circuit.goal_literal.size(); ++goal) {
    if (circuit.goal_value[goal] != largest) continue;
    holding.push_back(roots.goals[goal]);
    possible.push_back(of_circuit[circuit.goal_literal[goal]]);
  }
  const Literal holds = nodes.disjunction(holding), may_hold = nodes.disjunction(possible);
  const Circuit question = question_of(nodes, roots.terminal, {holds, may_hold});
  std::vector<Literal> wanted = question.goal_literal;
  wanted.push_back(question.terminal);
  bool finds = false;
  try {
    AfterMoves moves(circuit, nodes, exclusion);
    moves.assumptions().assume(may_hold);
    moves.for_each(question, wanted, [&](std::int32_t row) {
      const Literal lost[] = {moves.after(question.terminal), negated(moves.after(question.goal_literal[0]))};
      const Literal live[] = {moves.after(question.goal_literal[1]), negated(moves.assumptions().conjunction(lost))};
      Literal& legal = roots.legal[static_cast<std::size_t>(row)];
      const Literal both[] = {legal, moves.assumptions().conjunction(live)};
      finds = finds || both[1] != TRUE_LITERAL;
      legal = nodes.conjunction(both);
    });
  } catch (const TooMuchWork&) {
    return std::nullopt;
  }
  if (!finds) return std::nullopt;
  Pace pace;
  const Nodes smaller = simplified(std::move(nodes), roots, pace);
  return lay_out_like(circuit, smaller, roots);
}

}  // namespace gdl
