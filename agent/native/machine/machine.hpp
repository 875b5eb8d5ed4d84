// A game as a state machine, one state at a time. Lanes take many states at once.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "circuit/circuit.hpp"
#include "machine/state_evaluator.hpp"
#include "program/program_set.hpp"

namespace gdl {

// States are packed into state_words() words: fluent f is bit f % 64 of word f / 64. Only one thread at a time may ask
// about states, because the gate values of the last state are kept for the next question about it.
class Machine {
 public:
  // `groups` are fluents of which perhaps at most one holds at a time. Throws std::invalid_argument for a malformed
  // circuit.
  explicit Machine(Circuit circuit, FluentGroups groups = {});

  const Circuit& circuit() const { return circuit_; }
  const std::vector<std::uint64_t>& initial() const { return initial_; }
  const FluentGroups& groups() const { return groups_; }
  const Turns& turns() const { return turns_; }
  // The programs are made when they are first asked for. Any thread may call it.
  // Preferences must be those of decisive moves that settled() returned.
  std::shared_ptr<const ProgramSet> programs(TurnPolicy policy, Preferences preferences = {}) const;
  // The circuit with literals for preferred moves, or the reason why there is none. Any thread may call it.
  const DecisiveCircuit& decisive_moves(Preferences preferences) const;
  // The decisive moves that playouts prefer if these are asked for: Off if the game has none. Never Auto.
  DecisiveMoves settled(DecisiveMoves moves) const;
  // The cost of a step of playouts that prefer moves, in steps of uniformly random ones.
  double relative_cost(Preferences preferences) const;
  // [loop of the circuit] the rounds until its gates are settled in all of these states and joint moves, side by side
  // as in lanes. Both have one row for each position: words of a packed state, and rows of the roles. Any thread may
  // call it.
  std::vector<std::int32_t> loop_rounds(std::span<const std::uint64_t> states,
                                        std::span<const std::int32_t> joints) const;
  // The circuit of a single player without moves into dead ends (program/dead_ends.hpp); null where there is none. Any
  // thread may call it.
  std::shared_ptr<const Circuit> circuit_without_dead_ends() const;

  // Questions about a state throw std::invalid_argument unless it has state_words() words and no bit past the last
  // fluent.
  bool terminal(std::span<const std::uint64_t> state);
  // The goal of each role, -1 if the rules give none.
  std::vector<std::int32_t> goals(std::span<const std::uint64_t> state);
  // The legal rows of one role, ascending.
  std::vector<std::int32_t> legal(std::span<const std::uint64_t> state, std::int32_t role);
  // The state after one row per role, in the order of roles. Rows need not be legal.
  std::vector<std::uint64_t> next(std::span<const std::uint64_t> state, std::span<const std::int32_t> joint);

 private:
  // A circuit for the states of one turn, or for all.
  struct View {
    explicit View(Circuit source) : circuit(std::move(source)), evaluator(circuit) {}
    Circuit circuit;
    StateEvaluator evaluator;
  };

  void check_state(std::span<const std::uint64_t> state) const;
  // Evaluates a state with the smallest circuit that is right for it.
  View& view_of(std::span<const std::uint64_t> state);
  View& general_view();
  // The merged rows are found when they are first needed; null where merging does not pay.
  const std::shared_ptr<const MergedRows>& merged_rows() const;
  // The circuit that lanes run if they prefer no moves.
  const Circuit& lane_circuit() const;
  const DecisiveCircuit& find_decisive_moves(Preferences preferences) const;

  const Circuit circuit_;
  const FluentGroups groups_;
  const Turns turns_;
  std::vector<std::uint64_t> initial_;
  std::vector<std::unique_ptr<View>> turn_views_;  // [turn] made when first needed, as is general_view_
  std::unique_ptr<View> general_view_;
  mutable std::mutex programs_mutex_;
  mutable std::shared_ptr<const ProgramSet> programs_[2][4];  // [policy, preferences]
  mutable std::optional<DecisiveCircuit> decisive_[4];        // [preferences]
  mutable std::optional<std::shared_ptr<const MergedRows>> merged_rows_;
  mutable std::optional<std::shared_ptr<const Circuit>> without_dead_ends_;
};

}  // namespace gdl
