// Compiled knowledge as Python gives it; agent/features/native_tables.py explains and validates every array.
#pragma once

#include <cstdint>
#include <vector>

#include "scoring/shared_array.hpp"

namespace gdl {

// Lists of pieces as paths from node 0.
struct AutomatonTables {
  std::int32_t depth = 0;
  std::vector<std::int32_t> next;  // [node * n_pieces + code - 1] -1 where no feature continues
  std::vector<std::int32_t> slot;  // [node]
};

// Patterns of one radius and one set of wildcards.
struct PatternGroupTables {
  std::int32_t neighbourhood = 0;
  std::vector<std::uint64_t> mask;  // [word]
  std::vector<std::uint64_t> keys;  // [pattern * words]
  std::vector<std::int32_t> slots;  // [pattern]
};

// Itemsets. An item holds if one of its fluents does, a condition if all its items do.
struct ConditionTables {
  std::vector<std::uint8_t> size;        // [condition]
  std::vector<std::int32_t> item_start;  // [item + 1]
  std::vector<std::int32_t> item_conditions;
  std::vector<std::int32_t> fluent_start;  // [fluent + 1]
  std::vector<std::int32_t> fluent_items;
};

// A slot adds its value and the values of those of its hits whose conditions hold.
struct SlotTables {
  std::vector<std::int32_t> value;          // [slot]
  std::vector<std::int32_t> start;          // [slot + 1]
  std::vector<std::int32_t> hit_condition;  // [hit]
  std::vector<std::int32_t> hit_value;      // [hit]
};

// Features of one role in one phase.
struct PlanTables {
  bool acts = false;
  std::int32_t always = 0;
  std::vector<std::int32_t> row_slot;  // [row]
  SlotTables slots;
  ConditionTables conditions;
  std::vector<std::int32_t> distance_slot;  // [distance id]
  AutomatonTables nearest;
  std::vector<AutomatonTables> lines;  // [dimension]
  std::vector<PatternGroupTables> patterns;
  std::vector<std::uint8_t> seen;         // [occupant code] what the role sees; empty if no pattern needs it
  std::vector<std::int32_t> rank_weight;  // [rank]
};

// The cells around a target as runs, and the places of their codes in a key.
struct NeighbourhoodTables {
  bool relative = false;  // whether keys are made of what the role sees
  std::int32_t run_length = 0;
  std::int32_t words = 0;
  std::vector<std::int32_t> run_offset;  // [run]
  std::vector<std::int32_t> word_end;    // [word] end of the runs of the word
  std::vector<std::int32_t> run_shift;   // [run]
};

struct KnowledgeTables {
  static constexpr int FORMAT_VERSION = 3;

  std::int32_t n_roles = 0;
  std::int32_t state_words = 0;
  std::int32_t n_points = 0;
  std::int32_t n_pieces = 0;
  SharedArray<std::uint8_t> cells;         // [cell] codes of the empty board
  SharedArray<std::int32_t> point_cell;    // [point]
  SharedArray<std::uint16_t> copies;       // [copy * 2] a cell beyond joined ends, and the cell that it copies
  SharedArray<std::uint16_t> fluent_cell;  // [fluent]
  SharedArray<std::uint8_t> fluent_piece;  // [fluent]
  SharedArray<std::int32_t> row_target;    // [row] -1 for a move without a target
  SharedArray<std::int32_t> distance_id;   // [point * n_points]
  std::int32_t nearest_length = 0;
  SharedArray<std::uint16_t> nearest;  // [point * nearest_length]
  std::int32_t line_length = 0;
  SharedArray<std::uint16_t> lines;  // [(dimension * n_points + point) * line_length]
  std::vector<NeighbourhoodTables> neighbourhoods;
  std::vector<PlanTables> plans;  // [role * 2 + phase]
  std::int32_t base = 0;
  bool first_feature = false;
  bool exponential = false;
  SharedArray<std::uint32_t> exponential_weight;  // [sum - exponential_low]
  std::int32_t exponential_low = 0;
};

}  // namespace gdl
