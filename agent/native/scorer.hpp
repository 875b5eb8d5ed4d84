// Knowledge at work: integer weights of moves from a table-driven evaluation of one packed state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gdl {

// Where a weight is used; knowledge files switch features and itemsets on and off in each.
enum class Phase : int { kPlayout = 0, kSelection = 1 };
inline constexpr int kPhases = 2;

// What a matching table entry adds: a value (a weight, or a rank when only the first feature counts), and further
// values that count only where their condition (itemset) holds.
struct Slot {
  std::int32_t value = 0;
  std::int32_t first_hit = 0;  // into Plan::hit_condition and hit_value
  std::int32_t last_hit = 0;
};

// Patterns of one radius and one set of wildcards: an exact hash table of masked neighbourhood keys.
struct PatternGroup {
  std::int32_t neighbourhood = 0;   // index into Tables::neighbourhoods
  std::vector<std::uint64_t> mask;  // [words] bits that are compared
  std::vector<std::uint64_t> keys;  // [bucket * words]
  std::vector<std::int32_t> slots;  // [bucket] slot of the key, -1 in an empty bucket; a power of two of buckets
};

// Multisets or sequences of pieces as an automaton: read occupants outward from the target, leave on -1.
struct PieceAutomaton {
  std::vector<std::int32_t> next;  // [node * pieces + code - 1], -1 where no feature continues
  std::vector<std::int32_t> slot;  // [node], 0 where nothing ends
  bool empty() const { return slot.empty(); }
};

// All features that act for one role in one phase.
struct Plan {
  bool acts = false;
  bool reads_target = false;           // some feature depends on the state around the target or on the last move
  bool reads_board = false;            // ... on the occupants
  std::int32_t always = 0;             // slot of what counts for every move
  std::vector<std::int32_t> row_slot;  // [row]
  std::vector<Slot> slots;             // slot 0 adds nothing
  std::vector<std::int32_t> hit_condition;
  std::vector<std::int32_t> hit_value;
  std::vector<std::int32_t> distance_slot;  // [distance id], empty if no feature asks
  PieceAutomaton nearest;
  std::vector<PieceAutomaton> lines;  // [dimension]
  std::vector<PatternGroup> patterns;
  std::vector<std::int32_t> rank_weight;  // [rank] of first-feature scoring
};

// The fields around every point, for one radius. Point n_points is off the board.
struct Neighbourhood {
  std::int32_t entries = 0;
  std::int32_t words = 0;            // of a key: one code of `bits` bits per entry, 64 / bits of them to a word
  std::vector<std::int32_t> points;  // [point * entries]
};

// Everything the scorer needs to know about a game and a knowledge file (agent/knowledge/tables.py).
struct ScorerTables {
  static constexpr int FORMAT_VERSION = 1;

  std::int32_t n_roles = 0;
  std::int32_t state_words = 0;
  std::int32_t n_points = 0;
  std::int32_t n_pieces = 0;
  std::vector<std::int32_t> fluent_point;  // [fluent] -1 if it is no board fluent
  std::vector<std::uint8_t> fluent_piece;  // [fluent]
  std::vector<std::int32_t> row_target;    // [row] -1 if the move has no target
  std::vector<std::int32_t> distance_id;   // [point * point] rank of the distance among all distances
  std::vector<std::int32_t> nearest;       // [point * (n_points - 1)]
  std::int32_t line_length = 0;
  std::vector<std::int32_t> lines;  // [(dimension * n_points + point) * line_length], -1 ends a line
  std::int32_t key_bits = 0;
  std::vector<Neighbourhood> neighbourhoods;
  std::vector<std::int32_t> condition_start;  // [condition + 1] into item_start: all items must hold
  std::vector<std::int32_t> item_start;       // [item + 1] into item_fluents: one of the fluents must hold
  std::vector<std::int32_t> item_fluents;
  std::vector<Plan> plans;  // [role * kPhases + phase]
  std::int32_t base = 0;    // weight of a move without features, in 1/256
  bool first_feature = false;
  bool exponential = false;
  std::vector<std::uint32_t> exponential_weight;  // [sum - exponential_low]
  std::int32_t exponential_low = 0;

  double uct_c = 40;
  double expansions = 1;
  double bias = 0;
  double fade = 1;
  bool widening = false;
  std::int32_t widening_visits = 0;
  std::int32_t widening_moves = 0;
  double widening_growth = 1;
};

// Hashes the patterns of one group: `keys` holds mask.size() words for every slot, all distinct.
PatternGroup make_pattern_group(std::int32_t neighbourhood, std::vector<std::uint64_t> mask,
                                std::span<const std::uint64_t> keys, std::span<const std::int32_t> slots);

// Weights of moves. Immutable: threads share it, each with its own Scratch.
class Scorer {
 public:
  // Memory that score() works in; made once per thread by make_scratch().
  struct Scratch {
    std::vector<std::uint8_t> board;             // [n_points + 1] occupant codes, the last is off the board
    std::vector<std::uint32_t> target_epoch;     // [point] epoch of the last evaluation
    std::vector<std::int32_t> target_value;      // [point]
    std::vector<std::uint32_t> condition_epoch;  // [condition]
    std::vector<std::uint8_t> condition_holds;   // [condition]
    std::vector<std::int32_t> last_targets;      // [role] distinct targets of the last joint move
    std::vector<std::uint64_t> key;              // longest key of a neighbourhood
    std::uint32_t epoch = 0;
  };

  explicit Scorer(ScorerTables tables);

  Scratch make_scratch() const;

  // Whether weights of `role`, or of any role, differ from move to move in this phase.
  bool acts_in(Phase phase, int role) const { return plan(phase, role).acts; }
  bool acts_in(Phase phase) const;

  // weights[i] >= 1 is the weight of rows[i] in `state`, in proportion to which playouts choose. `last_rows` holds the
  // row of every role in the last joint move; nullptr before the first move.
  void score(Phase phase, int role, const std::uint64_t* state, const std::int32_t* last_rows,
             std::span<const std::int32_t> rows, std::span<std::uint32_t> weights, Scratch& scratch) const;

  const ScorerTables& tables() const { return tables_; }

  // Search parameters of the knowledge file.
  double uct_c() const { return tables_.uct_c; }
  double expansions() const { return tables_.expansions; }  // nodes added per playout
  double bias() const { return tables_.bias; }              // strength of progressive bias, in goal units
  double fade() const { return tables_.fade; }              // exponent of visits + 1 by which the bias fades
  bool widening() const { return tables_.widening; }
  int widening_visits() const { return tables_.widening_visits; }     // visits after which only the best moves stay
  int widening_moves() const { return tables_.widening_moves; }       // how many stay
  double widening_growth() const { return tables_.widening_growth; }  // factor of visits for each move that returns

 private:
  const Plan& plan(Phase phase, int role) const {
    return tables_.plans[static_cast<std::size_t>(role) * kPhases + static_cast<std::size_t>(phase)];
  }
  template <bool kFirst>
  void score_plan(const Plan& plan, const std::uint64_t* state, const std::int32_t* last_rows,
                  std::span<const std::int32_t> rows, std::span<std::uint32_t> weights, Scratch& scratch) const;
  template <bool kFirst>
  std::int32_t add(std::int32_t value, const Plan& plan, std::int32_t slot, const std::uint64_t* state,
                   Scratch& scratch) const;
  template <bool kFirst>
  std::int32_t target_value(const Plan& plan, std::int32_t target, const std::uint64_t* state, Scratch& scratch) const;
  template <bool kFirst>
  std::int32_t add_patterns(std::int32_t value, const Plan& plan, std::int32_t target, const std::uint64_t* state,
                            Scratch& scratch) const;
  template <bool kFirst>
  std::int32_t add_automaton(std::int32_t value, const Plan& plan, const PieceAutomaton& automaton,
                             std::span<const std::int32_t> order, const std::uint64_t* state, Scratch& scratch) const;
  bool holds(std::int32_t condition, const std::uint64_t* state, Scratch& scratch) const;
  void next_epoch(Scratch& scratch) const;
  void read_board(const std::uint64_t* state, Scratch& scratch) const;
  void read_last_targets(const std::int32_t* last_rows, Scratch& scratch) const;
  std::int32_t nearest_distance(std::int32_t target, const Scratch& scratch) const;
  std::uint32_t weight_of(std::int32_t sum) const;

  ScorerTables tables_;
};

}  // namespace gdl
