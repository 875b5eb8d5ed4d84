#include "scorer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace gdl {
namespace {

constexpr std::int32_t kWord = 8;  // bytes that runs and blocks are read in
constexpr std::uint64_t LAST_CELL = std::uint64_t{1} << 63;

// Weights add up; of ranks the smallest counts.
template <bool kFirst>
inline std::int32_t join(std::int32_t left, std::int32_t right) {
  if constexpr (kFirst) return std::min(left, right);
  return left + right;
}

template <bool kFirst>
inline std::int32_t add_hits(std::int32_t value, const Slot& slot, const ScoringPlan& plan,
                             const std::uint64_t* items) {
  const auto bit = [items](std::int32_t item) { return items[item >> 6] >> (item & 63); };
  for (std::int32_t index = slot.first_hit; index < slot.last_hit; ++index) {
    const Hit& hit = plan.hits[static_cast<std::size_t>(index)];
    const bool holds = (bit(hit.items[0]) & bit(hit.items[1]) & bit(hit.items[2]) & 1) != 0;
    value = join<kFirst>(value, holds ? hit.value : (kFirst ? NO_RANK : 0));
  }
  return value;
}

template <bool kFirst, bool kConditional>
inline std::int32_t add(std::int32_t value, const Slot& slot, const ScoringPlan& plan, const std::uint64_t* items) {
  value = join<kFirst>(value, slot.value);
  return kConditional ? add_hits<kFirst>(value, slot, plan, items) : value;
}

// Codes of eight cells, the first one lowest.
inline std::uint64_t gather(const std::uint8_t* cells, const std::uint16_t* list) {
  std::uint64_t codes = 0;
  for (std::int32_t step = 0; step < kWord; ++step) codes |= std::uint64_t{cells[list[step]]} << (8 * step);
  return codes;
}

}  // namespace

Scorer::Scorer(KnowledgeTables tables) : tables_(std::move(tables)) {
  for (const PlanTables& plan : tables_.plans) plans_.emplace_back(tables_, plan);
}

bool Scorer::acts_in(Phase phase) const {
  for (int role = 0; role < tables_.n_roles; ++role) {
    if (acts_in(phase, role)) return true;
  }
  return false;
}

Scorer::Scratch Scorer::make_scratch() const {
  const auto points = static_cast<std::size_t>(tables_.n_points);
  std::size_t words = 1;
  for (const NeighbourhoodTables& around : tables_.neighbourhoods) words = std::max(words, std::size_t(around.words));
  Scratch scratch;
  scratch.cells.assign(tables_.cells.size() + kWord, 0);
  scratch.target_epoch.assign(points, 0);
  scratch.target_value.assign(points, 0);
  scratch.targets.reserve(points);
  scratch.values.reserve(points);
  scratch.last_targets.reserve(static_cast<std::size_t>(tables_.n_roles));
  scratch.keys.assign(points * words, 0);
  return scratch;
}

void Scorer::score(Phase phase, int role, const std::uint64_t* state, const std::int32_t* last_rows,
                   std::span<const std::int32_t> rows, std::span<std::uint32_t> weights, Scratch& scratch) const {
  const ScoringPlan& chosen = plan(phase, role);
  if (!chosen.acts) {
    std::fill_n(weights.begin(), rows.size(), weight_of(0));
  } else if (tables_.first_feature) {
    if (chosen.conditional) return score_plan<true, true>(chosen, state, last_rows, rows, weights, scratch);
    score_plan<true, false>(chosen, state, last_rows, rows, weights, scratch);
  } else {
    if (chosen.conditional) return score_plan<false, true>(chosen, state, last_rows, rows, weights, scratch);
    score_plan<false, false>(chosen, state, last_rows, rows, weights, scratch);
  }
}

template <bool kFirst, bool kConditional>
void Scorer::score_plan(const ScoringPlan& plan, const std::uint64_t* state, const std::int32_t* last_rows,
                        std::span<const std::int32_t> rows, std::span<std::uint32_t> weights, Scratch& scratch) const {
  if (kConditional) read_items(plan.items, state, scratch);
  if (plan.reads_target) {
    // The board first: its bytes must have left the store buffer before they are read eight at a time.
    if (plan.reads_board) read_board(state, scratch);
    collect_targets(plan, rows, scratch);
    scratch.values.assign(scratch.targets.size(), kFirst ? NO_RANK : 0);
    if (!plan.distances.empty()) {
      read_last_targets(last_rows, scratch);
      add_distances<kFirst, kConditional>(plan, scratch);
    }
    add_pieces<kFirst, kConditional>(plan, plan.nearest, tables_.nearest.data(), tables_.nearest_length, scratch);
    const auto line_table = static_cast<std::size_t>(tables_.n_points) * static_cast<std::size_t>(tables_.line_length);
    for (std::size_t dimension = 0; dimension < plan.lines.size(); ++dimension) {
      const std::uint16_t* lists = tables_.lines.data() + dimension * line_table;
      add_pieces<kFirst, kConditional>(plan, plan.lines[dimension], lists, tables_.line_length, scratch);
    }
    std::int32_t neighbourhood = -1;
    for (const PatternTable& table : plan.patterns) {
      if (table.neighbourhood() != neighbourhood) {
        neighbourhood = table.neighbourhood();
        make_keys(tables_.neighbourhoods[static_cast<std::size_t>(neighbourhood)], scratch);
      }
      table.words() == 1 ? add_patterns<kFirst, kConditional, true>(plan, table, scratch)
                         : add_patterns<kFirst, kConditional, false>(plan, table, scratch);
    }
    for (std::size_t index = 0; index < scratch.targets.size(); ++index) {
      scratch.target_value[static_cast<std::size_t>(scratch.targets[index])] = scratch.values[index];
    }
  }
  const std::uint64_t* items = scratch.items.data();
  const std::int32_t always = add<kFirst, kConditional>(kFirst ? NO_RANK : 0, plan.always, plan, items);
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const auto row = static_cast<std::size_t>(rows[index]);
    const RowEntry entry = plan.rows[row];
    std::int32_t value = join<kFirst>(always, entry.value);
    if constexpr (kConditional) value = add<kFirst, kConditional>(always, plan.row_slots[row], plan, items);
    if (plan.reads_target && entry.target >= 0) {
      value = join<kFirst>(value, scratch.target_value[static_cast<std::size_t>(entry.target)]);
    }
    if constexpr (kFirst) value = value == NO_RANK ? 0 : plan.rank_weight[static_cast<std::size_t>(value)];
    weights[index] = weight_of(value);
  }
}

// Which items hold: those of the fluents that do, and the conditions of many items.
void Scorer::read_items(const ItemTable& table, const std::uint64_t* state, Scratch& scratch) const {
  const auto words = static_cast<std::size_t>(table.words);
  scratch.items.assign(words, 0);
  std::uint64_t* items = scratch.items.data();
  const auto set = [items](std::int32_t item) { items[item >> 6] |= std::uint64_t{1} << (item & 63); };
  set(table.always);
  for (std::int32_t word = 0; word < tables_.state_words; ++word) {
    for (std::uint64_t bits = state[word]; bits != 0; bits &= bits - 1) {
      const auto fluent = static_cast<std::size_t>(word) * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      const std::uint64_t* row = table.fluent_items.data() + fluent * words;
      for (std::size_t at = 0; at < words; ++at) items[at] |= row[at];
    }
  }
  for (std::size_t index = 0; index < table.long_conditions.size(); ++index) {
    bool all = true;
    for (const std::int32_t item : table.long_conditions[index]) all &= ((items[item >> 6] >> (item & 63)) & 1) != 0;
    if (all) set(table.first_long + static_cast<std::int32_t>(index));
  }
}

void Scorer::collect_targets(const ScoringPlan& plan, std::span<const std::int32_t> rows, Scratch& scratch) const {
  if (++scratch.epoch == 0) {
    std::fill(scratch.target_epoch.begin(), scratch.target_epoch.end(), 0u);
    scratch.epoch = 1;
  }
  scratch.targets.clear();
  for (const std::int32_t row : rows) {
    const std::int32_t target = plan.rows[static_cast<std::size_t>(row)].target;
    if (target < 0 || scratch.target_epoch[static_cast<std::size_t>(target)] == scratch.epoch) continue;
    scratch.target_epoch[static_cast<std::size_t>(target)] = scratch.epoch;
    scratch.targets.push_back(target);
  }
}

void Scorer::read_board(const std::uint64_t* state, Scratch& scratch) const {
  std::uint8_t* cells = scratch.cells.data();
  std::memcpy(cells, tables_.cells.data(), tables_.cells.size());
  const std::uint16_t* fluent_cell = tables_.fluent_cell.data();
  const std::uint8_t* fluent_piece = tables_.fluent_piece.data();
  for (std::int32_t word = 0; word < tables_.state_words; ++word) {
    for (std::uint64_t bits = state[word]; bits != 0; bits &= bits - 1) {
      const auto fluent = static_cast<std::size_t>(word) * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      std::uint8_t& cell = cells[fluent_cell[fluent]];
      const std::uint8_t code = fluent_piece[fluent];
      // The smallest code stays; an empty cell (0) wraps to the largest.
      cell = static_cast<std::uint8_t>(code - 1) < static_cast<std::uint8_t>(cell - 1) ? code : cell;
    }
  }
}

void Scorer::read_last_targets(const std::int32_t* last_rows, Scratch& scratch) const {
  scratch.last_targets.clear();
  if (last_rows == nullptr) return;
  for (std::int32_t role = 0; role < tables_.n_roles; ++role) {
    if (last_rows[role] < 0) continue;
    const std::int32_t target = tables_.row_target[static_cast<std::size_t>(last_rows[role])];
    if (target >= 0) scratch.last_targets.push_back(target);
  }
}

// Distance ids ascend with the distance, so the smallest id is the nearest last target.
template <bool kFirst, bool kConditional>
void Scorer::add_distances(const ScoringPlan& plan, Scratch& scratch) const {
  if (scratch.last_targets.empty()) return;
  const auto points = static_cast<std::size_t>(tables_.n_points);
  for (std::size_t index = 0; index < scratch.targets.size(); ++index) {
    std::int32_t nearest = std::numeric_limits<std::int32_t>::max();
    for (const std::int32_t last : scratch.last_targets) {
      const std::size_t pair =
          static_cast<std::size_t>(last) * points + static_cast<std::size_t>(scratch.targets[index]);
      nearest = std::min(nearest, tables_.distance_id[pair]);
    }
    const Slot& slot = plan.distances[static_cast<std::size_t>(nearest)];
    scratch.values[index] = add<kFirst, kConditional>(scratch.values[index], slot, plan, scratch.items.data());
  }
}

// Walks an automaton along the occupied cells of each target's list, eight cells at a time; no cell, once the occupied
// ones among them are read, leads it on.
template <bool kFirst, bool kConditional>
void Scorer::add_pieces(const ScoringPlan& plan, const PieceAutomaton& automaton, const std::uint16_t* lists,
                        std::int32_t length, Scratch& scratch) const {
  if (automaton.depth == 0) return;
  const std::uint8_t* cells = scratch.cells.data();
  const std::uint64_t* items = scratch.items.data();
  const PieceAutomaton::Edge* edges = automaton.edges.data();
  for (std::size_t index = 0; index < scratch.targets.size(); ++index) {
    const std::uint16_t* list =
        lists + static_cast<std::size_t>(scratch.targets[index]) * static_cast<std::size_t>(length);
    std::int32_t value = scratch.values[index];
    std::int32_t node = 0;
    for (std::int32_t first = 0; node < automaton.n_inner && first < length; first += kWord) {
      std::uint64_t codes = gather(cells, list + first);
      for (std::int32_t step = 0; step < automaton.depth; ++step) {
        const int shift = std::countr_zero(codes | LAST_CELL) & ~7;
        const std::size_t code = (codes >> shift) & 0xFF;
        codes &= ~(std::uint64_t{0xFF} << shift);
        const PieceAutomaton::Edge& edge = edges[(static_cast<std::size_t>(node) << automaton.code_bits) | code];
        node = edge.next;
        value = join<kFirst>(value, edge.value);
        if (kConditional && edge.slot != 0)
          value = add_hits<kFirst>(value, plan.slots[std::size_t(edge.slot)], plan, items);
      }
    }
    scratch.values[index] = value;
  }
}

void Scorer::make_keys(const NeighbourhoodTables& around, Scratch& scratch) const {
  const auto words = static_cast<std::size_t>(around.words);
  const std::uint64_t run_mask = ~std::uint64_t{0} >> (64 - 8 * around.run_length);
  const std::uint8_t* cells = scratch.cells.data();
  for (std::size_t index = 0; index < scratch.targets.size(); ++index) {
    const std::uint8_t* centre = cells + tables_.point_cell[static_cast<std::size_t>(scratch.targets[index])];
    std::uint64_t* key = scratch.keys.data() + index * words;
    std::size_t run = 0;
    for (std::size_t word = 0; word < words; ++word) {
      std::uint64_t bits = 0;
      for (; run < static_cast<std::size_t>(around.word_end[word]); ++run) {
        std::uint64_t codes;
        std::memcpy(&codes, centre + around.run_offset[run], kWord);
        bits |= (codes & run_mask) << around.run_shift[run];
      }
      key[word] = bits;
    }
  }
}

template <bool kFirst, bool kConditional, bool kOneWord>
void Scorer::add_patterns(const ScoringPlan& plan, const PatternTable& table, Scratch& scratch) const {
  const std::uint64_t* items = scratch.items.data();
  const std::size_t words = kOneWord ? 1 : table.words();
  for (std::size_t index = 0; index < scratch.targets.size(); ++index) {
    const PatternTable::Found found = table.look_up<kOneWord>(scratch.keys.data() + index * words);
    std::int32_t value = join<kFirst>(join<kFirst>(scratch.values[index], found.values[0]), found.values[1]);
    if (kConditional && (found.slots[0] | found.slots[1]) != 0) {
      for (const std::int32_t slot : found.slots) {
        value = add_hits<kFirst>(value, plan.slots[static_cast<std::size_t>(slot)], plan, items);
      }
    }
    scratch.values[index] = value;
  }
}

std::uint32_t Scorer::weight_of(std::int32_t sum) const {
  if (tables_.exponential) {
    const std::int32_t clamped = std::clamp(sum, tables_.exponential_low, -tables_.exponential_low);
    return tables_.exponential_weight[static_cast<std::size_t>(clamped - tables_.exponential_low)];
  }
  return static_cast<std::uint32_t>(std::max(1, tables_.base + sum));
}

}  // namespace gdl
