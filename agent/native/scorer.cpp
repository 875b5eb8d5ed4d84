#include "scorer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "lane_engine.hpp"

namespace gdl {
namespace {

constexpr std::int32_t kWord = 8;  // bytes that runs and blocks are read in

template <bool kFirst>
inline std::int32_t add(std::int32_t value, const Slot& slot, const std::int32_t* changing) {
  return join<kFirst>(join<kFirst>(value, slot.value), changing[slot.changing]);
}

}  // namespace

Scorer::Scorer(KnowledgeTables tables)
    : tables_(std::move(tables)), kernels_(scoring_kernels(chosen_instruction_set())) {
  for (const PlanTables& plan : tables_.plans) plans_.emplace_back(tables_, plan);
  board_fluents_.assign(static_cast<std::size_t>(tables_.state_words), 0);
  for (std::size_t fluent = 0; fluent < tables_.fluent_cell.size(); ++fluent) {
    if (tables_.fluent_cell[fluent] + std::size_t{1} == tables_.cells.size()) continue;
    board_fluents_[fluent / 64] |= std::uint64_t{1} << (fluent % 64);
  }
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
  scratch.targets.reserve(points + 1);
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
    score_plan<true>(chosen, state, last_rows, rows, weights, scratch);
  } else {
    score_plan<false>(chosen, state, last_rows, rows, weights, scratch);
  }
}

template <bool kFirst>
void Scorer::score_plan(const ScoringPlan& plan, const std::uint64_t* state, const std::int32_t* last_rows,
                        std::span<const std::int32_t> rows, std::span<std::uint32_t> weights, Scratch& scratch) const {
  plan.conditions.evaluate<kFirst>({state, static_cast<std::size_t>(tables_.state_words)}, scratch.conditions);
  if (plan.reads_target) {
    // The board first: its bytes must have left the store buffer before they are read eight at a time.
    if (plan.reads_board) read_board(state, scratch);
    collect_targets(plan, rows, scratch);
    scratch.values.assign(scratch.targets.size(), NOTHING<kFirst>);
    if (!plan.distances.empty()) {
      read_last_targets(last_rows, scratch);
      add_distances<kFirst>(plan, scratch);
    }
    add_pieces<kFirst>(plan.nearest, tables_.nearest.data(), tables_.nearest_length, scratch);
    const auto line_table = static_cast<std::size_t>(tables_.n_points) * static_cast<std::size_t>(tables_.line_length);
    for (std::size_t dimension = 0; dimension < plan.lines.size(); ++dimension) {
      const std::uint16_t* lists = tables_.lines.data() + dimension * line_table;
      add_pieces<kFirst>(plan.lines[dimension], lists, tables_.line_length, scratch);
    }
    std::int32_t neighbourhood = -1;
    for (const PatternTable& table : plan.patterns) {
      if (table.neighbourhood() != neighbourhood) {
        neighbourhood = table.neighbourhood();
        make_keys(tables_.neighbourhoods[static_cast<std::size_t>(neighbourhood)], scratch);
      }
      table.words() == 1 ? add_patterns<kFirst, true>(table, scratch) : add_patterns<kFirst, false>(table, scratch);
    }
    for (std::size_t index = 0; index < scratch.targets.size(); ++index) {
      scratch.target_value[static_cast<std::size_t>(scratch.targets[index])] = scratch.values[index];
    }
  }
  const std::int32_t* changing = scratch.conditions.changing.data();
  const std::int32_t always = add<kFirst>(NOTHING<kFirst>, plan.always, changing);
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const RowEntry& entry = plan.rows[static_cast<std::size_t>(rows[index])];
    std::int32_t value = add<kFirst>(always, entry.adds, changing);
    if (plan.reads_target && entry.target >= 0) {
      value = join<kFirst>(value, scratch.target_value[static_cast<std::size_t>(entry.target)]);
    }
    if constexpr (kFirst) value = value == NO_RANK ? 0 : plan.rank_weight[static_cast<std::size_t>(value)];
    weights[index] = weight_of(value);
  }
}

void Scorer::collect_targets(const ScoringPlan& plan, std::span<const std::int32_t> rows, Scratch& scratch) const {
  if (++scratch.epoch == 0) {
    std::fill(scratch.target_epoch.begin(), scratch.target_epoch.end(), 0u);
    scratch.epoch = 1;
  }
  scratch.targets.resize(scratch.target_epoch.size() + 1);  // one that was seen before is written, not counted
  std::size_t count = 0;
  for (const std::int32_t row : rows) {
    const std::int32_t target = plan.rows[static_cast<std::size_t>(row)].target;
    if (target < 0) continue;
    std::uint32_t& epoch = scratch.target_epoch[static_cast<std::size_t>(target)];
    scratch.targets[count] = target;
    count += epoch != scratch.epoch;
    epoch = scratch.epoch;
  }
  scratch.targets.resize(count);
}

void Scorer::read_board(const std::uint64_t* state, Scratch& scratch) const {
  std::uint8_t* cells = scratch.cells.data();
  std::memcpy(cells, tables_.cells.data(), tables_.cells.size());
  const std::uint16_t* fluent_cell = tables_.fluent_cell.data();
  const std::uint8_t* fluent_piece = tables_.fluent_piece.data();
  for (std::size_t word = 0; word < board_fluents_.size(); ++word) {
    for_each_bit(state[word] & board_fluents_[word], word, [=](std::size_t fluent) {
      // The smallest code stays; an empty cell (0) wraps to the largest.
      std::uint8_t& cell = cells[fluent_cell[fluent]];
      const auto code = static_cast<std::uint8_t>(fluent_piece[fluent] - 1), old = static_cast<std::uint8_t>(cell - 1);
      cell = static_cast<std::uint8_t>(std::min(code, old) + 1);
    });
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
template <bool kFirst>
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
    scratch.values[index] = add<kFirst>(scratch.values[index], slot, scratch.conditions.changing.data());
  }
}

template <bool kFirst>
void Scorer::add_pieces(const PieceAutomaton& automaton, const std::uint16_t* lists, std::int32_t length,
                        Scratch& scratch) const {
  if (automaton.depth == 0) return;
  const PieceLists around{{scratch.cells.data(), tables_.cells.size()}, lists, length};
  const auto join_pieces = kFirst ? kernels_.first_pieces : kernels_.add_pieces;
  join_pieces(automaton, around, scratch.targets, scratch.conditions.changing.data(), scratch.values.data());
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

template <bool kFirst, bool kOneWord>
void Scorer::add_patterns(const PatternTable& table, Scratch& scratch) const {
  const std::int32_t* changing = scratch.conditions.changing.data();
  const std::size_t words = kOneWord ? 1 : table.words();
  for (std::size_t index = 0; index < scratch.targets.size(); ++index) {
    const Slot found = table.look_up<kOneWord>(scratch.keys.data() + index * words);
    scratch.values[index] = add<kFirst>(scratch.values[index], found, changing);
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
