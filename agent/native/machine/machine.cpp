#include "machine/machine.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "circuit/circuit_check.hpp"
#include "program/dead_ends.hpp"

namespace gdl {
namespace {

Circuit checked(Circuit circuit) {
  check_circuit(circuit);
  return circuit;
}

std::size_t number_of(Preferences preferences) {
  return static_cast<std::size_t>(preferences.decisive) + 2 * static_cast<std::size_t>(preferences.anti_decisive);
}

Preferences alone(DecisiveMoves moves) {
  Preferences preferences;
  preferences.add(moves);
  return preferences;
}

// About the largest cost of a step at which playouts still have 0.35 of the rate of uniformly random ones.
constexpr double LARGEST_COST_OF_AUTO = 3;

}  // namespace

Machine::Machine(Circuit circuit, FluentGroups groups)
    : circuit_(checked(std::move(circuit))),
      groups_(std::move(groups)),
      turns_(find_turns(circuit_)),
      initial_(circuit_.initial_state()),
      turn_views_(static_cast<std::size_t>(turns_.count())) {
  check_groups(groups_, circuit_);
}

std::shared_ptr<const ProgramSet> Machine::programs(TurnPolicy policy, Preferences preferences) const {
  const std::lock_guard lock(programs_mutex_);
  auto& programs = programs_[static_cast<std::size_t>(policy)][number_of(preferences)];
  if (!programs) {
    const Circuit& circuit = preferences.any() ? find_decisive_moves(preferences).circuit.value() : lane_circuit();
    ProgramSet set = policy == TurnPolicy::Follow ? compile_programs(circuit, turns_) : compile_programs(circuit);
    set.merged = merged_rows();
    programs = std::make_shared<ProgramSet>(std::move(set));
  }
  return programs;
}

const DecisiveCircuit& Machine::decisive_moves(Preferences preferences) const {
  const std::lock_guard lock(programs_mutex_);
  return find_decisive_moves(preferences);
}

const DecisiveCircuit& Machine::find_decisive_moves(Preferences preferences) const {
  auto& found = decisive_[number_of(preferences)];
  if (!found && circuit_.chance_role != NO_ROLE) found = {{}, {}, "one of its roles moves at random"};
  if (!found) found = with_decisive_moves(lane_circuit(), turns_, MutualExclusion(circuit_, groups_), preferences);
  return *found;
}

DecisiveMoves Machine::settled(DecisiveMoves moves) const {
  if (moves == DecisiveMoves::Off) return moves;
  const DecisiveMoves asked = moves == DecisiveMoves::Auto ? DecisiveMoves::Decisive : moves;
  if (!decisive_moves(alone(asked)).circuit) return DecisiveMoves::Off;
  const bool dear = moves == DecisiveMoves::Auto && relative_cost(alone(asked)) > LARGEST_COST_OF_AUTO;
  return dear ? DecisiveMoves::Off : asked;
}

double Machine::relative_cost(Preferences preferences) const {
  return programs(TurnPolicy::Follow, preferences)->step_cost / programs(TurnPolicy::Follow)->step_cost;
}

std::vector<std::int32_t> Machine::loop_rounds(std::span<const std::uint64_t> states,
                                               std::span<const std::int32_t> joints) const {
  if (circuit_.loops.empty()) return {};
  StateEvaluator evaluator(circuit_);
  const auto n_roles = static_cast<std::size_t>(circuit_.n_roles);
  for (std::size_t n = 0; n < joints.size() / n_roles; ++n) {
    std::vector<std::uint64_t> next(initial_.size());
    evaluator.evaluate(states.subspan(n * initial_.size(), initial_.size()));
    evaluator.advance(joints.subspan(n * n_roles, n_roles), next);
  }
  return {evaluator.most_rounds().begin(), evaluator.most_rounds().end()};
}

std::shared_ptr<const Circuit> Machine::circuit_without_dead_ends() const {
  const std::lock_guard lock(programs_mutex_);
  if (!without_dead_ends_) {
    auto found = without_dead_ends(circuit_, MutualExclusion(circuit_, groups_));
    without_dead_ends_ = found ? std::make_shared<const Circuit>(*std::move(found)) : nullptr;
  }
  return *without_dead_ends_;
}

const Circuit& Machine::lane_circuit() const {
  const auto& merged = merged_rows();
  return merged ? merged->circuit : circuit_;
}

const std::shared_ptr<const MergedRows>& Machine::merged_rows() const {
  if (!merged_rows_) merged_rows_ = merge_where_worthwhile(circuit_, groups_);
  return *merged_rows_;
}

bool Machine::terminal(std::span<const std::uint64_t> state) {
  const View& view = view_of(state);
  return view.evaluator.value(view.circuit.terminal);
}

std::vector<std::int32_t> Machine::goals(std::span<const std::uint64_t> state) {
  const View& view = view_of(state);
  std::vector<std::int32_t> goals(static_cast<std::size_t>(circuit_.n_roles), -1);
  for (std::size_t i = 0; i < circuit_.goal_literal.size(); ++i) {
    std::int32_t& goal = goals[static_cast<std::size_t>(circuit_.goal_role[i])];
    if (goal < 0 && view.evaluator.value(view.circuit.goal_literal[i])) goal = circuit_.goal_value[i];
  }
  return goals;
}

std::vector<std::int32_t> Machine::legal(std::span<const std::uint64_t> state, std::int32_t role) {
  std::vector<std::int32_t> rows;
  view_of(state).evaluator.list_legal(role, rows);
  return rows;
}

std::vector<std::uint64_t> Machine::next(std::span<const std::uint64_t> state, std::span<const std::int32_t> joint) {
  if (joint.size() != static_cast<std::size_t>(circuit_.n_roles)) {
    throw std::invalid_argument("a joint move has one row per role: expected " + std::to_string(circuit_.n_roles) +
                                ", got " + std::to_string(joint.size()));
  }
  for (std::size_t role = 0; role < joint.size(); ++role) {
    const std::int32_t row = joint[role];
    if (row < circuit_.move_start[role] || row >= circuit_.move_start[role + 1]) {
      throw std::invalid_argument("row " + std::to_string(row) + " is not a move of role " + std::to_string(role));
    }
  }
  View* view = &view_of(state);
  const auto dead = [&](std::int32_t row) { return view->evaluator.is_dead(row); };
  if (std::ranges::any_of(joint, dead)) {  // a turn's circuit does not know the effect of dead rows
    view = &general_view();
    view->evaluator.evaluate(state);
  }
  std::vector<std::uint64_t> next(initial_.size());
  view->evaluator.advance(joint, next);
  return next;
}

void Machine::check_state(std::span<const std::uint64_t> state) const {
  if (state.size() != initial_.size()) {
    throw std::invalid_argument("a state of this game has " + std::to_string(initial_.size()) + " words, got " +
                                std::to_string(state.size()));
  }
  if (circuit_.n_fluents % 64 != 0 && (state.back() >> (circuit_.n_fluents % 64)) != 0) {
    throw std::invalid_argument("the state has a bit past the last fluent");
  }
}

Machine::View& Machine::view_of(std::span<const std::uint64_t> state) {
  check_state(state);
  View* view = nullptr;
  if (const auto turn = turns_.of(state.data())) {
    auto& own = turn_views_[static_cast<std::size_t>(*turn)];
    if (!own) own = std::make_unique<View>(circuit_of_turn(circuit_, turns_, *turn));
    view = own.get();
  } else {
    view = &general_view();
  }
  view->evaluator.evaluate(state);
  return *view;
}

Machine::View& Machine::general_view() {
  if (!general_view_) general_view_ = std::make_unique<View>(circuit_);
  return *general_view_;
}

}  // namespace gdl
