// One role's features in one phase, laid out for scoring.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "condition_table.hpp"
#include "knowledge_tables.hpp"
#include "pattern_table.hpp"
#include "slot.hpp"

namespace gdl {

// Reads pieces outward from a target: all at once where lists are short, else one after the other.
struct PieceAutomaton {
  static constexpr std::int32_t SHORT = 3;  // pieces

  // What a whole list adds, those that it begins with included.
  struct Sum {
    std::int32_t value;
    std::int32_t changing[SHORT];
  };
  struct Edge {
    std::int32_t next;  // place of the edges of the next node
    Slot adds;          // what a list that ends there adds
  };

  std::int32_t depth = 0;      // pieces to read, 0 if no feature asks
  std::int32_t code_bits = 0;  // of an occupant code
  std::vector<Sum> sums;       // [codes, the first lowest] of short lists; else empty
  std::int32_t end_inner = 0;  // nodes with edges from this place on read nothing more
  std::vector<Edge> edges;     // [node, code]; code 0, an empty cell, adds nothing
};

struct RowEntry {
  Slot adds;            // what depends on the move alone
  std::int32_t target;  // -1 without
};

struct ScoringPlan {
  ScoringPlan(const KnowledgeTables& tables, const PlanTables& plan);

  bool acts;
  bool reads_board;   // some feature depends on the occupants around the target
  bool reads_target;  // ... or on the last move
  ConditionTable conditions;
  Slot always;
  std::vector<RowEntry> rows;   // [row]
  std::vector<Slot> distances;  // [distance id]
  PieceAutomaton nearest;
  std::vector<PieceAutomaton> lines;  // [dimension]
  std::vector<PatternTable> patterns;
  std::vector<std::int32_t> rank_weight;
};

}  // namespace gdl
