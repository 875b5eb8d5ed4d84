#include "scoring_plan.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace gdl {
namespace {

constexpr int MOST_INDEX_BITS = 12;

std::vector<Slot> read_slots(const PlanTables& plan, const ConditionTable& conditions) {
  std::vector<Slot> slots;
  for (std::size_t slot = 0; slot < plan.slot_value.size(); ++slot) {
    slots.push_back({plan.slot_value[slot], conditions.numbers()[slot]});
  }
  return slots;
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

// Follows every list of short ones, and of codes with gaps, which nothing reads.
template <bool kFirst>
void add_up(PieceAutomaton& automaton) {
  automaton.sums.resize(std::size_t{1} << (automaton.depth * automaton.code_bits));
  for (std::size_t list = 0; list < automaton.sums.size(); ++list) {
    PieceAutomaton::Sum sum{.value = NOTHING<kFirst>, .changing = {}};
    std::size_t node = 0, left = list;
    for (std::int32_t piece = 0; piece < automaton.depth; ++piece, left >>= automaton.code_bits) {
      const std::size_t code = left & ((std::size_t{1} << automaton.code_bits) - 1);
      const PieceAutomaton::Edge& edge = automaton.edges[node | code];
      sum.value = join<kFirst>(sum.value, edge.adds.value);
      sum.changing[piece] = edge.adds.changing;
      node = static_cast<std::size_t>(edge.next);
    }
    automaton.sums[list] = sum;
  }
}

PieceAutomaton prepare(const AutomatonTables& source, const KnowledgeTables& tables, std::span<const Slot> slots) {
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
      const Slot& adds = slots[static_cast<std::size_t>(next < 0 ? 0 : source.slot[static_cast<std::size_t>(next)])];
      const std::int32_t after = number[code == 0 ? node : next < 0 ? nodes : static_cast<std::size_t>(next)];
      automaton.edges[first | code] = {.next = after << code_bits, .adds = adds};
    }
  }
  if (source.depth <= PieceAutomaton::SHORT && source.depth * code_bits <= MOST_INDEX_BITS) {
    tables.first_feature ? add_up<true>(automaton) : add_up<false>(automaton);
  }
  return automaton;
}

}  // namespace

ScoringPlan::ScoringPlan(const KnowledgeTables& tables, const PlanTables& plan)
    : acts(plan.acts), conditions(plan), rank_weight(plan.rank_weight) {
  const std::vector<Slot> slots = read_slots(plan, conditions);
  always = slots[static_cast<std::size_t>(plan.always)];
  for (std::size_t row = 0; row < plan.row_slot.size(); ++row) {
    rows.push_back({slots[static_cast<std::size_t>(plan.row_slot[row])], tables.row_target[row]});
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
