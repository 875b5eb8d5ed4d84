// The features of one role in one phase, laid out for scoring.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scoring/condition_table.hpp"
#include "scoring/knowledge_tables.hpp"
#include "scoring/pattern_table.hpp"
#include "scoring/slot.hpp"

namespace gdl {

// Reads pieces outward from a target: all at once if lists are short, else one after the other.
struct PieceAutomaton {
  static constexpr std::int32_t SHORT = 3;  // pieces

  struct AutomatonEdge {
    std::int32_t next;  // place of the edges of the next node
    Slot adds;          // slot of a list that ends at the node
  };

  std::int32_t depth = 0;      // pieces to read, 0 if no feature needs them
  std::int32_t code_bits = 0;  // bits of an occupant code
  std::vector<Slot> lists;     // [codes, the first lowest] slots of short lists, which include those of the lists that
                               // they begin with; or empty
  std::int32_t end_inner = 0;  // place of edges from which on nodes read nothing more
  std::vector<AutomatonEdge> edges;  // [node, code]; code 0, an empty cell, adds nothing
};

struct ScoringPlan {
  ScoringPlan(const KnowledgeTables& tables, const PlanTables& plan);

  bool acts;
  bool reads_board;   // whether some feature depends on the occupants around the target
  bool reads_target;  // whether some feature depends on the occupants around the target or on the last move
  Slot always;
  std::vector<Slot> rows;       // [row] slots of features that depend on the move alone
  std::vector<Slot> distances;  // [distance id]
  PieceAutomaton nearest;
  std::vector<PieceAutomaton> lines;  // [dimension]
  std::vector<PatternTable> patterns;
  std::vector<std::uint8_t> seen;  // [occupant code] what the role sees; empty if no pattern needs it
  ConditionTable conditions;       // amounts that slots add
  std::int64_t tests = 0;          // lists of pieces and distances read for a target; of a long list, its depth
  std::int64_t runs = 0;           // runs of cells read for a target
  std::vector<std::uint32_t> weight_of_rank;  // [rank] of a move; the last is that of a move without a feature
};

}  // namespace gdl
