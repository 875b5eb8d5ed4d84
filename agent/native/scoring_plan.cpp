#include "scoring_plan.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace gdl {
namespace {

std::vector<Slot> read_slots(const PlanTables& plan) {
  std::vector<Slot> slots;
  for (std::size_t slot = 0; slot < plan.slot_value.size(); ++slot) {
    slots.push_back({plan.slot_value[slot], plan.slot_start[slot], plan.slot_start[slot + 1]});
  }
  return slots;
}

std::vector<std::vector<std::int32_t>> items_of_conditions(const ConditionTables& conditions) {
  std::vector<std::vector<std::int32_t>> items(conditions.size.size());
  for (std::size_t item = 0; item + 1 < conditions.item_start.size(); ++item) {
    for (std::int32_t at = conditions.item_start[item]; at < conditions.item_start[item + 1]; ++at) {
      const std::int32_t condition = conditions.item_conditions[static_cast<std::size_t>(at)];
      items[static_cast<std::size_t>(condition)].push_back(static_cast<std::int32_t>(item));
    }
  }
  return items;
}

// Makes the items; each condition is left with three of them.
ItemTable make_items(const ConditionTables& conditions, std::vector<std::vector<std::int32_t>>& items_of) {
  ItemTable table;
  table.first_long = static_cast<std::int32_t>(conditions.item_start.size()) - 1;
  for (auto& items : items_of) {
    if (items.size() <= 3) continue;
    const auto item = table.first_long + static_cast<std::int32_t>(table.long_conditions.size());
    table.long_conditions.push_back(std::exchange(items, {item}));
  }
  table.always = table.first_long + static_cast<std::int32_t>(table.long_conditions.size());
  for (auto& items : items_of) items.resize(3, table.always);
  table.words = table.always / 64 + 1;
  const auto words = static_cast<std::size_t>(table.words);
  table.fluent_items.assign((conditions.fluent_start.size() - 1) * words, 0);
  for (std::size_t fluent = 0; fluent + 1 < conditions.fluent_start.size(); ++fluent) {
    for (std::int32_t at = conditions.fluent_start[fluent]; at < conditions.fluent_start[fluent + 1]; ++at) {
      const auto item = static_cast<std::size_t>(conditions.fluent_items[static_cast<std::size_t>(at)]);
      table.fluent_items[fluent * words + item / 64] |= std::uint64_t{1} << (item % 64);
    }
  }
  return table;
}

std::vector<Hit> read_hits(const PlanTables& plan, const std::vector<std::vector<std::int32_t>>& items_of) {
  std::vector<Hit> hits;
  for (std::size_t hit = 0; hit < plan.hit_value.size(); ++hit) {
    const auto& items = items_of[static_cast<std::size_t>(plan.hit_condition[hit])];
    hits.push_back({plan.hit_value[hit], {items[0], items[1], items[2]}});
  }
  return hits;
}

// Numbers the nodes that read on first, then those where every list ends, among them one for lists nobody asks for.
std::vector<std::int32_t> inner_first(const AutomatonTables& source, std::size_t n_pieces, std::int32_t& n_inner) {
  const std::size_t nodes = source.slot.size();
  std::vector<std::int32_t> number(nodes + 1, -1);
  for (std::size_t node = 0; node < nodes; ++node) {
    const auto first = source.next.begin() + static_cast<std::ptrdiff_t>(node * n_pieces);
    const auto last = first + static_cast<std::ptrdiff_t>(n_pieces);
    if (std::any_of(first, last, [](std::int32_t next) { return next >= 0; })) number[node] = n_inner++;
  }
  std::int32_t next = n_inner;
  for (std::int32_t& each : number) {
    if (each < 0) each = next++;
  }
  return number;
}

PieceAutomaton prepare(const AutomatonTables& source, const KnowledgeTables& tables, std::span<const Slot> slots) {
  PieceAutomaton automaton;
  automaton.depth = source.depth;
  if (source.depth == 0) return automaton;
  const std::size_t nodes = source.slot.size();
  const auto n_pieces = static_cast<std::size_t>(tables.n_pieces);
  const std::vector<std::int32_t> number = inner_first(source, n_pieces, automaton.n_inner);
  automaton.code_bits = std::bit_width(n_pieces);
  automaton.edges.resize((nodes + 1) << automaton.code_bits);
  for (std::size_t node = 0; node <= nodes; ++node) {
    const std::size_t first = static_cast<std::size_t>(number[node]) << automaton.code_bits;
    for (std::size_t code = 0; code < std::size_t{1} << automaton.code_bits; ++code) {
      const bool reads = node < nodes && code >= 1 && code <= n_pieces;
      const std::int32_t next = reads ? source.next[node * n_pieces + code - 1] : -1;
      const std::int32_t slot = next < 0 ? 0 : source.slot[static_cast<std::size_t>(next)];
      const Slot& adds = slots[static_cast<std::size_t>(slot)];
      const std::int32_t after = number[code == 0 ? node : next < 0 ? nodes : static_cast<std::size_t>(next)];
      automaton.edges[first | code] = {.next = after, .value = adds.value, .slot = adds.has_hits() ? slot : 0};
    }
  }
  return automaton;
}

}  // namespace

ScoringPlan::ScoringPlan(const KnowledgeTables& tables, const PlanTables& plan)
    : acts(plan.acts),
      conditional(!plan.conditions.size.empty()),
      slots(read_slots(plan)),
      rank_weight(plan.rank_weight) {
  auto items_of = items_of_conditions(plan.conditions);
  items = make_items(plan.conditions, items_of);
  hits = read_hits(plan, items_of);
  always = slots[static_cast<std::size_t>(plan.always)];
  for (std::size_t row = 0; row < plan.row_slot.size(); ++row) {
    const Slot& slot = slots[static_cast<std::size_t>(plan.row_slot[row])];
    rows.push_back({slot.value, tables.row_target[row]});
    if (conditional) row_slots.push_back(slot);
  }
  for (const std::int32_t slot : plan.distance_slot) distances.push_back(slots[static_cast<std::size_t>(slot)]);
  nearest = prepare(plan.nearest, tables, slots);
  for (const AutomatonTables& line : plan.lines) lines.push_back(prepare(line, tables, slots));
  for (const PatternGroupTables& group : plan.patterns) {
    patterns.emplace_back(group, slots, tables.first_feature ? NO_RANK : 0);
  }
  const bool reads_lines = std::any_of(lines.begin(), lines.end(), [](const auto& line) { return line.depth > 0; });
  reads_board = reads_lines || nearest.depth > 0 || !patterns.empty();
  reads_target = reads_board || !distances.empty();
}

}  // namespace gdl
