// The application of knowledge: integer weights of moves from a table-driven evaluation of one packed state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scoring/knowledge_tables.hpp"
#include "scoring/scoring_kernels.hpp"
#include "scoring/scoring_plan.hpp"
#include "scoring/scoring_work.hpp"

namespace gdl {

// The phase in which weights are used; knowledge files switch features and itemsets on and off in each.
enum class ScoringPhase : int { Playout = 0, Selection = 1 };
inline constexpr int N_PHASES = 2;

// Computes weights of moves. A scorer is immutable: threads share it, each with its own Scratch.
class Scorer {
 public:
  // Memory of one thread that score() works in; all scorers that it was made to fit share it.
  struct Scratch {
    std::vector<std::uint8_t> cells;          // [cell] occupant codes, 8 bytes more than cells
    std::vector<std::uint8_t> seen;           // [cell] what the role sees, 8 bytes more than cells
    std::vector<std::uint32_t> target_epoch;  // [point] epoch in which the target was last met
    std::vector<std::int32_t> target_value;   // [point]
    std::vector<std::int32_t> targets;        // distinct targets of the moves, n_targets of them
    std::vector<std::int32_t> values;         // amounts that the targets add
    std::vector<std::int32_t> last_targets;   // [role] targets of the last joint move
    ConditionTable::ConditionScratch conditions;
    std::vector<std::uint64_t> keys;    // [target * words] keys, neighbourhood by neighbourhood
    std::vector<std::uint32_t> places;  // [target] places, pattern table by pattern table
    std::size_t n_targets = 0;
    ScoringWork work;  // of one call of score()
    std::uint32_t epoch = 0;
  };

  explicit Scorer(KnowledgeTables tables);

  // Makes the memory large enough.
  void fit(Scratch& scratch) const;

  // Whether the weights of the moves of `role`, or of any role, may differ in this phase.
  bool acts_in(ScoringPhase phase, int role) const { return plan(phase, role).acts; }
  bool acts_in(ScoringPhase phase) const;

  // Sets weights[i] >= 1 to the weight of rows[i] in `state`; playouts choose in proportion to the weights. `last_rows`
  // holds the row of every role in the last joint move; nullptr or -1 before the first move. Returns what that took.
  ScoringWork score(ScoringPhase phase, int role, const std::uint64_t* state, const std::int32_t* last_rows,
                    std::span<const std::int32_t> rows, std::span<std::uint32_t> weights, Scratch& scratch) const;

  const KnowledgeTables& tables() const { return tables_; }

 private:
  const ScoringPlan& plan(ScoringPhase phase, int role) const {
    return plans_[static_cast<std::size_t>(role) * N_PHASES + static_cast<std::size_t>(phase)];
  }
  std::uint32_t weight_of(std::int32_t sum) const;
  std::uint64_t* keys_of(std::int32_t neighbourhood, Scratch& scratch) const;
  void read_board(const std::uint64_t* state, Scratch& scratch) const;
  void read_last_targets(const std::int32_t* last_rows, Scratch& scratch) const;
  void collect_targets(const ScoringPlan& plan, std::span<const std::int32_t> rows, Scratch& scratch) const;

  template <bool FirstFeature>
  void score_plan(const ScoringPlan& plan, const std::uint64_t* state, const std::int32_t* last_rows,
                  std::span<const std::int32_t> rows, std::span<std::uint32_t> weights, Scratch& scratch) const;
  template <bool FirstFeature, bool ReadsTarget>
  void weigh_rows(const ScoringPlan& plan, std::span<const std::int32_t> rows, std::span<std::uint32_t> weights,
                  const Scratch& scratch) const;
  template <bool FirstFeature>
  void add_targets(const ScoringPlan& plan, const std::int32_t* last_rows, Scratch& scratch) const;
  template <bool FirstFeature>
  void add_distances(const ScoringPlan& plan, Scratch& scratch) const;
  template <bool FirstFeature>
  void add_pieces(const PieceAutomaton& automaton, const std::uint16_t* lists, std::int32_t length,
                  Scratch& scratch) const;
  void find_patterns(const ScoringPlan& plan, Scratch& scratch) const;
  template <bool FirstFeature>
  void add_patterns(const ScoringPlan& plan, Scratch& scratch) const;
  void make_keys(std::int32_t neighbourhood, Scratch& scratch) const;

  KnowledgeTables tables_;
  const ScoringKernels& kernels_;
  std::vector<ScoringPlan> plans_;            // [role * N_PHASES + phase]
  std::vector<std::size_t> keys_start_;       // [neighbourhood] words of the keys of a target before this neighbourhood
  std::size_t key_words_ = 0;                 // words of the keys of a target in all neighbourhoods
  std::vector<std::uint64_t> board_fluents_;  // bits of the fluents that occupy cells
};

}  // namespace gdl
