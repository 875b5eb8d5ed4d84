// One role's features in one phase, laid out for scoring.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "knowledge_tables.hpp"
#include "pattern_table.hpp"
#include "slot.hpp"

namespace gdl {

// A value that counts where three items hold; a condition of fewer items has the item that always holds in its place.
struct Hit {
  std::int32_t value;
  std::array<std::int32_t, 3> items;
};

// Which items hold in a state, as bits: the items of the conditions, then one for each condition of more than three
// items, then one that always holds.
struct ItemTable {
  std::int32_t words = 0;
  std::int32_t always = 0;                                 // the item that always holds
  std::vector<std::uint64_t> fluent_items;                 // [fluent * words] items that hold where the fluent does
  std::vector<std::vector<std::int32_t>> long_conditions;  // items of each condition of more than three
  std::int32_t first_long = 0;                             // item of the first of them
};

// Reads pieces outward from a target.
struct PieceAutomaton {
  struct Edge {
    std::int32_t next;   // node; nodes from n_inner on read nothing more
    std::int32_t value;  // what a list that ends there adds
    std::int32_t slot;   // its hits, 0 if it has none
  };

  std::int32_t depth = 0;  // pieces to read, 0 if no feature asks
  std::int32_t n_inner = 0;
  int code_bits = 0;
  std::vector<Edge> edges;  // [node << code_bits | code]; code 0, an empty cell, adds nothing
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
  std::vector<Slot> slots;      // slot 0 adds nothing
  std::vector<Hit> hits;
  ItemTable items;
  std::vector<Slot> distances;  // [distance id]
  PieceAutomaton nearest;
  std::vector<PieceAutomaton> lines;  // [dimension]
  std::vector<PatternTable> patterns;
  std::vector<std::int32_t> rank_weight;
};

}  // namespace gdl
