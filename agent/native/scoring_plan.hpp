// One role's features in one phase, laid out for scoring.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "knowledge_tables.hpp"
#include "pattern_table.hpp"

namespace gdl {

// The value of no match when only the first feature counts.
inline constexpr std::int32_t NO_RANK = std::numeric_limits<std::int32_t>::max();

// What a match adds.
struct Slot {
  std::int32_t value;
  std::int32_t first_hit;  // hits that count only where their condition holds
  std::int32_t last_hit;
};

struct Hit {
  std::int32_t condition;
  std::int32_t value;
};

// Reads pieces outward from a target; the last node leads to itself and adds nothing.
struct PieceAutomaton {
  std::int32_t depth = 0;  // pieces to read, 0 if no feature asks
  int code_bits = 0;
  std::vector<std::int32_t> next;  // [node << code_bits | code]
  std::vector<Slot> slots;         // [node]
};

struct RowEntry {
  std::int32_t value;   // what depends on the move alone and on no condition
  std::int32_t target;  // -1 without
};

struct ScoringPlan {
  ScoringPlan(const KnowledgeTables& tables, const PlanTables& plan);

  bool acts;
  bool conditional;   // some feature carries an itemset
  bool reads_board;   // some feature depends on the occupants around the target
  bool reads_target;  // ... or on the last move
  Slot always;
  std::vector<RowEntry> rows;   // [row]
  std::vector<Slot> row_slots;  // [row], empty unless conditional
  std::vector<Slot> slots;
  std::vector<Hit> hits;
  ConditionTables conditions;
  std::vector<Slot> distances;  // [distance id]
  PieceAutomaton nearest;
  std::vector<PieceAutomaton> lines;  // [dimension]
  std::vector<PatternTable> patterns;
  std::vector<std::int32_t> rank_weight;
};

}  // namespace gdl
