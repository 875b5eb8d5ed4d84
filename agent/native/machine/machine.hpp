// A game as a state machine, one state at a time. Lanes are for many.
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

// States are packed: fluent f is bit f % 64 of word f / 64, state_words() words. Questions about states are not for
// several threads at once: the last state's gate values are kept for the next question about it.
class Machine {
 public:
  // Throws std::invalid_argument for a malformed circuit.
  // `groups`: fluents of which perhaps at most one holds at a time.
  explicit Machine(Circuit circuit, FluentGroups groups = {});

  const Circuit& circuit() const { return circuit_; }
  const std::vector<std::uint64_t>& initial() const { return initial_; }
  const FluentGroups& groups() const { return groups_; }
  const Turns& turns() const { return turns_; }
  // Made when first asked for. From any thread.
  std::shared_ptr<const ProgramSet> programs(TurnPolicy policy) const;

  // Throw std::invalid_argument unless the state has state_words() words and no bit past the last fluent.
  bool terminal(std::span<const std::uint64_t> state);
  // Goal of each role, -1 where the rules give none.
  std::vector<std::int32_t> goals(std::span<const std::uint64_t> state);
  // Legal rows of one role, ascending.
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
  // The smallest circuit that is right for a state, evaluated there.
  View& view_of(std::span<const std::uint64_t> state);
  View& general_view();
  // Found when first needed; null where merging rows does not pay.
  const std::shared_ptr<const MergedRows>& merged_rows() const;

  const Circuit circuit_;
  const FluentGroups groups_;
  const Turns turns_;
  std::vector<std::uint64_t> initial_;
  std::vector<std::unique_ptr<View>> turn_views_;  // [turn] made when first needed, as the next
  std::unique_ptr<View> general_view_;
  mutable std::mutex programs_mutex_;
  mutable std::shared_ptr<const ProgramSet> programs_[2];  // [policy]
  mutable std::optional<std::shared_ptr<const MergedRows>> merged_rows_;
};

}  // namespace gdl
