#include "scoring/scoring_plan.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace gdl {
namespace {

constexpr int MOST_INDEX_BITS = 12;

// Numbers first the nodes that read on, then those at which every list ends, including one for lists without a feature.
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

// Slots, and further slots that add the amounts of several.
class Slots {
 public:
  Slots(const SlotTables& tables, bool first_feature) : tables_(tables), first_feature_(first_feature) {}

  const SlotTables& tables() const { return tables_; }

  Slot together(std::vector<Slot> parts) {
    std::erase(parts, Slot{0});
    std::sort(parts.begin(), parts.end());
    if (parts.empty()) return 0;
    if (parts.size() == 1) return parts[0];
    const auto [known, fresh] = together_.try_emplace(parts, static_cast<Slot>(tables_.value.size()));
    if (fresh) append(parts);
    return known->second;
  }

 private:
  void append(std::span<const Slot> parts) {
    std::int32_t sum = first_feature_ ? NOTHING<true> : NOTHING<false>;
    for (const Slot part : parts) {
      const std::int32_t value = tables_.value[part];
      sum = first_feature_ ? join<true>(sum, value) : join<false>(sum, value);
      for (std::int32_t at = tables_.start[part]; at < tables_.start[part + 1]; ++at) {
        const auto hit = static_cast<std::size_t>(at);
        tables_.hit_condition.push_back(tables_.hit_condition[hit]);
        tables_.hit_value.push_back(tables_.hit_value[hit]);
      }
    }
    tables_.value.push_back(sum);
    tables_.start.push_back(static_cast<std::int32_t>(tables_.hit_condition.size()));
  }

  SlotTables tables_;
  bool first_feature_;
  std::map<std::vector<Slot>, Slot> together_;
};

// Follows every short list, also those whose codes have gaps, which are never read.
void add_up(PieceAutomaton& automaton, Slots& slots) {
  automaton.lists.resize(std::size_t{1} << (automaton.depth * automaton.code_bits));
  for (std::size_t list = 0; list < automaton.lists.size(); ++list) {
    std::vector<Slot> on_its_way;
    std::size_t node = 0, left = list;
    for (std::int32_t piece = 0; piece < automaton.depth; ++piece, left >>= automaton.code_bits) {
      const std::size_t code = left & ((std::size_t{1} << automaton.code_bits) - 1);
      const PieceAutomaton::AutomatonEdge& edge = automaton.edges[node | code];
      on_its_way.push_back(edge.adds);
      node = static_cast<std::size_t>(edge.next);
    }
    automaton.lists[list] = slots.together(std::move(on_its_way));
  }
}

// Short lists are looked up as a whole.
std::int64_t tests_of(const PieceAutomaton& automaton) { return automaton.lists.empty() ? automaton.depth : 1; }

PieceAutomaton prepare(const AutomatonTables& source, const KnowledgeTables& tables, Slots& slots) {
  PieceAutomaton automaton;
  automaton.depth = source.depth;
  if (source.depth == 0) return automaton;
  const std::size_t nodes = source.slot.size();
  const auto n_pieces = static_cast<std::size_t>(tables.n_pieces);
  std::int32_t n_inner = 0;
  const std::vector<std::int32_t> number = inner_first(source, n_pieces, n_inner);
  const int code_bits = std::bit_width(n_pieces);
  automaton.code_bits = code_bits;
  automaton.end_inner = n_inner << code_bits;
  automaton.edges.resize((nodes + 1) << code_bits);
  for (std::size_t node = 0; node <= nodes; ++node) {
    const std::size_t first = static_cast<std::size_t>(number[node]) << code_bits;
    for (std::size_t code = 0; code < std::size_t{1} << code_bits; ++code) {
      const bool reads = node < nodes && code >= 1 && code <= n_pieces;
      const std::int32_t next = reads ? source.next[node * n_pieces + code - 1] : -1;
      const auto adds = static_cast<Slot>(next < 0 ? 0 : source.slot[static_cast<std::size_t>(next)]);
      const std::int32_t after = number[code == 0 ? node : next < 0 ? nodes : static_cast<std::size_t>(next)];
      automaton.edges[first | code] = {.next = after << code_bits, .adds = adds};
    }
  }
  if (source.depth <= PieceAutomaton::SHORT && source.depth * code_bits <= MOST_INDEX_BITS) {
    add_up(automaton, slots);
  }
  return automaton;
}

}  // namespace

ScoringPlan::ScoringPlan(const KnowledgeTables& tables, const PlanTables& plan)
    : acts(plan.acts),
      always(static_cast<Slot>(plan.always)),
      rows(plan.row_slot.begin(), plan.row_slot.end()),
      distances(plan.distance_slot.begin(), plan.distance_slot.end()),
      seen(plan.seen) {
  Slots slots(plan.slots, tables.first_feature);
  nearest = prepare(plan.nearest, tables, slots);
  for (const AutomatonTables& line : plan.lines) lines.push_back(prepare(line, tables, slots));
  for (const PatternGroupTables& group : plan.patterns) patterns.emplace_back(group);
  conditions = ConditionTable(plan.conditions, slots.tables());
  const bool reads_lines = std::any_of(lines.begin(), lines.end(), [](const auto& line) { return line.depth > 0; });
  reads_board = reads_lines || nearest.depth > 0 || !patterns.empty();
  reads_target = reads_board || !distances.empty();
  tests = tests_of(nearest) + static_cast<std::int64_t>(!distances.empty());
  for (const PieceAutomaton& line : lines) tests += tests_of(line);
  std::int32_t neighbourhood = -1;
  for (const PatternTable& table : patterns) {
    if (table.neighbourhood() == std::exchange(neighbourhood, table.neighbourhood())) continue;
    runs += std::ssize(tables.neighbourhoods[static_cast<std::size_t>(neighbourhood)].run_offset);
  }
}

}  // namespace gdl
