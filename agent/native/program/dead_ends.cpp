#include "program/dead_ends.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "compiler/circuit_import.hpp"
#include "compiler/circuit_layout.hpp"
#include "compiler/simplifier.hpp"
#include "program/after_moves.hpp"

namespace gdl {
namespace {

// Says of every literal of a circuit without loops, by literals over nodes, whether it may hold now or later.
class Possibility {
 public:
  Possibility(const Circuit& circuit, Nodes& nodes)
      : nodes_(nodes), of_literal_(2 * std::size_t{circuit.n_slots()}, TRUE_LITERAL) {
    of_literal_[FALSE_LITERAL] = FALSE_LITERAL;
    for (std::int32_t fluent = 0; fluent < circuit.n_fluents; ++fluent) {
      const Literal own = literal_of(circuit.fluent_slot(static_cast<std::size_t>(fluent)));
      const Literal node = nodes.fluent(static_cast<std::uint32_t>(fluent));
      if (is_final(circuit, fluent, false)) of_literal_[own] = node;
      if (is_final(circuit, fluent, true)) of_literal_[negated(own)] = negated(node);
    }
    for (std::size_t gate = 0; gate < circuit.n_state_gates; ++gate) {
      std::vector<Literal> hold, fail;
      for (const Literal literal : circuit.gates[gate]) {
        hold.push_back(of_literal_[literal]);
        fail.push_back(of_literal_[negated(literal)]);
      }
      const Literal own = literal_of(circuit.gate_slot(gate));
      of_literal_[own] = nodes_.conjunction(hold);
      of_literal_[negated(own)] = nodes_.disjunction(fail);
    }
  }

  // False only where the literal, which depends on the state alone, cannot hold, now or later.
  Literal operator()(Literal literal) const { return of_literal_[literal]; }

 private:
  Nodes& nodes_;
  std::vector<Literal> of_literal_;  // [literal of the circuit]
};

std::vector<Literal> largest_goals(const Circuit& circuit) {
  const std::int32_t largest = circuit.largest_goals().front();
  std::vector<Literal> literals;
  for (std::size_t goal = 0; goal < circuit.goal_literal.size(); ++goal) {
    if (circuit.goal_value[goal] == largest) literals.push_back(circuit.goal_literal[goal]);
  }
  return literals;
}

// A circuit that tells of a state whether it is terminal, and, as its goals, whether some literals over nodes hold.
Circuit question_of(const Nodes& nodes, Literal terminal, std::vector<Literal> literals) {
  const std::vector<Literal> never(nodes.n_fluents(), FALSE_LITERAL);
  Pace pace;
  return lay_out(nodes, {{}, terminal, std::move(literals), never, {}}, pace);
}

}  // namespace

bool is_final(const Circuit& circuit, std::int32_t fluent, bool value) {
  const Literal next = circuit.next[static_cast<std::size_t>(fluent)];
  if (next == (value ? TRUE_LITERAL : FALSE_LITERAL)) return true;
  // A disjunction is the complement of a conjunction of complements.
  if (!circuit.is_gate(slot_of(next)) || is_complemented(next) != value) return false;
  const Literal own = literal_of(circuit.fluent_slot(static_cast<std::size_t>(fluent)));
  const auto literals = circuit.literals_at(slot_of(next));
  return std::ranges::find(literals, negated_if(value, own)) != literals.end();
}

std::optional<Circuit> without_dead_ends(const Circuit& circuit, const MutualExclusion& exclusion) {
  const std::vector<Literal> goals = largest_goals(circuit);
  if (!circuit.loops.empty() || goals.empty()) return std::nullopt;
  Nodes nodes(static_cast<std::uint32_t>(circuit.n_fluents), circuit.move_start);
  Roots roots = roots_of(circuit);
  CircuitImport imported(circuit, nodes, roots);
  imported.import_sets();
  imported.import_state_gates();
  imported.import_move_gates();
  roots = renamed(roots, imported);
  const Possibility possibility(circuit, nodes);
  std::vector<Literal> holding, possible;
  for (const Literal goal : goals) {
    holding.push_back(imported(goal));
    possible.push_back(possibility(goal));
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
