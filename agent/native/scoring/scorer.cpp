#include "scoring/scorer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "hardware/instruction_set.hpp"

namespace gdl {
namespace {

constexpr std::int32_t WORD_BYTES = 8;  // unit of bytes in which runs and blocks are read

}  // namespace

Scorer::Scorer(KnowledgeTables tables)
    : tables_(std::move(tables)), kernels_(scoring_kernels(chosen_instruction_set())) {
  for (const PlanTables& source : tables_.plans) {
    ScoringPlan& plan = plans_.emplace_back(tables_, source);
    for (const std::int32_t sum : source.rank_weight) plan.weight_of_rank.push_back(weight_of(sum));
    plan.weight_of_rank.push_back(weight_of(0));
  }
  for (const NeighbourhoodTables& around : tables_.neighbourhoods) {
    keys_start_.push_back(key_words_);
    key_words_ += static_cast<std::size_t>(around.words);
  }
  board_fluents_.assign(static_cast<std::size_t>(tables_.state_words), 0);
  for (std::size_t fluent = 0; fluent < tables_.fluent_cell.size(); ++fluent) {
    if (tables_.fluent_cell[fluent] + std::size_t{1} == tables_.cells.size()) continue;
    board_fluents_[fluent / 64] |= std::uint64_t{1} << (fluent % 64);
  }
}

bool Scorer::acts_in(ScoringPhase phase) const {
  for (int role = 0; role < tables_.n_roles; ++role) {
    if (acts_in(phase, role)) return true;
  }
  return false;
}

void Scorer::fit(Scratch& scratch) const {
  const auto points = static_cast<std::size_t>(tables_.n_points);
  std::size_t tables = 0;
  for (const ScoringPlan& plan : plans_) tables = std::max(tables, plan.patterns.size());
  const auto grow = [](auto& values, std::size_t size) { values.resize(std::max(values.size(), size)); };
  grow(scratch.cells, tables_.cells.size() + WORD_BYTES);
  grow(scratch.seen, tables_.cells.size() + WORD_BYTES);
  grow(scratch.target_epoch, points);
  grow(scratch.target_value, points);
  grow(scratch.targets, points + 1);  // a target that was met before is written but not counted
  grow(scratch.values, points);
  grow(scratch.keys, points * key_words_);
  grow(scratch.places, points * tables);
}

ScoringWork Scorer::score(ScoringPhase phase, int role, const std::uint64_t* state, const std::int32_t* last_rows,
                          std::span<const std::int32_t> rows, std::span<std::uint32_t> weights,
                          Scratch& scratch) const {
  const ScoringPlan& chosen = plan(phase, role);
  scratch.work = {};
  if (!chosen.acts) {
    std::fill_n(weights.begin(), rows.size(), weight_of(0));
  } else if (tables_.first_feature) {
    score_plan<true>(chosen, state, last_rows, rows, weights, scratch);
  } else {
    score_plan<false>(chosen, state, last_rows, rows, weights, scratch);
  }
  return scratch.work;
}

template <bool FirstFeature>
void Scorer::score_plan(const ScoringPlan& plan, const std::uint64_t* state, const std::int32_t* last_rows,
                        std::span<const std::int32_t> rows, std::span<std::uint32_t> weights, Scratch& scratch) const {
  // Patterns come first: their tables are far away in memory and are fetched while the rest is read.
  if (plan.reads_target) {
    if (plan.reads_board) read_board(state, scratch);
    collect_targets(plan, rows, scratch);
    find_patterns(plan, scratch);
  }
  plan.conditions.evaluate<FirstFeature>({state, static_cast<std::size_t>(tables_.state_words)}, scratch.conditions,
                                         scratch.work);
  if (plan.reads_target) add_targets<FirstFeature>(plan, last_rows, scratch);
  if (plan.reads_target) {
    weigh_rows<FirstFeature, true>(plan, rows, weights, scratch);
  } else {
    weigh_rows<FirstFeature, false>(plan, rows, weights, scratch);
  }
}

template <bool FirstFeature, bool ReadsTarget>
void Scorer::weigh_rows(const ScoringPlan& plan, std::span<const std::int32_t> rows, std::span<std::uint32_t> weights,
                        const Scratch& scratch) const {
  const std::int32_t* adds = scratch.conditions.adds;
  const std::int32_t always = adds[plan.always];
  const auto no_rank = static_cast<std::int32_t>(plan.weight_of_rank.size()) - 1;
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const auto row = static_cast<std::size_t>(rows[index]);
    std::int32_t value = join<FirstFeature>(always, adds[plan.rows[row]]);
    if (ReadsTarget && tables_.row_target[row] >= 0) {
      value = join<FirstFeature>(value, scratch.target_value[static_cast<std::size_t>(tables_.row_target[row])]);
    }
    if constexpr (FirstFeature) {
      weights[index] = plan.weight_of_rank[static_cast<std::size_t>(std::min(value, no_rank))];
    } else {
      weights[index] = weight_of(value);
    }
  }
}

template <bool FirstFeature>
void Scorer::add_targets(const ScoringPlan& plan, const std::int32_t* last_rows, Scratch& scratch) const {
  std::fill_n(scratch.values.begin(), scratch.n_targets, NOTHING<FirstFeature>);
  if (!plan.distances.empty()) {
    read_last_targets(last_rows, scratch);
    add_distances<FirstFeature>(plan, scratch);
  }
  add_pieces<FirstFeature>(plan.nearest, tables_.nearest.data(), tables_.nearest_length, scratch);
  const auto line_table = static_cast<std::size_t>(tables_.n_points) * static_cast<std::size_t>(tables_.line_length);
  for (std::size_t dimension = 0; dimension < plan.lines.size(); ++dimension) {
    const std::uint16_t* lists = tables_.lines.data() + dimension * line_table;
    add_pieces<FirstFeature>(plan.lines[dimension], lists, tables_.line_length, scratch);
  }
  add_patterns<FirstFeature>(plan, scratch);
  for (std::size_t index = 0; index < scratch.n_targets; ++index) {
    scratch.target_value[static_cast<std::size_t>(scratch.targets[index])] = scratch.values[index];
  }
}

void Scorer::collect_targets(const ScoringPlan& plan, std::span<const std::int32_t> rows, Scratch& scratch) const {
  if (++scratch.epoch == 0) {
    std::fill(scratch.target_epoch.begin(), scratch.target_epoch.end(), 0u);
    scratch.epoch = 1;
  }
  std::size_t count = 0;
  for (const std::int32_t row : rows) {
    const std::int32_t target = tables_.row_target[static_cast<std::size_t>(row)];
    __builtin_prefetch(&plan.rows[static_cast<std::size_t>(row)]);
    if (target < 0) continue;
    std::uint32_t& epoch = scratch.target_epoch[static_cast<std::size_t>(target)];
    scratch.targets[count] = target;
    count += epoch != scratch.epoch;
    epoch = scratch.epoch;
  }
  scratch.n_targets = count;
  const auto targets = static_cast<std::int64_t>(count);
  scratch.work.tests = targets * plan.tests;
  scratch.work.patterns = targets * static_cast<std::int64_t>(plan.patterns.size());
  scratch.work.runs = targets * plan.runs;
}

void Scorer::read_board(const std::uint64_t* state, Scratch& scratch) const {
  std::uint8_t* cells = scratch.cells.data();
  std::memcpy(cells, tables_.cells.data(), tables_.cells.size());
  const std::uint16_t* fluent_cell = tables_.fluent_cell.data();
  const std::uint8_t* fluent_piece = tables_.fluent_piece.data();
  ++scratch.work.boards;
  for (std::size_t word = 0; word < board_fluents_.size(); ++word) {
    scratch.work.occupants += std::popcount(state[word] & board_fluents_[word]);
    for_each_bit(state[word] & board_fluents_[word], word, [=](std::size_t fluent) {
      // The smallest code stays; an empty cell (0) wraps to the largest.
      std::uint8_t& cell = cells[fluent_cell[fluent]];
      const auto code = static_cast<std::uint8_t>(fluent_piece[fluent] - 1), old = static_cast<std::uint8_t>(cell - 1);
      cell = static_cast<std::uint8_t>(std::min(code, old) + 1);
    });
  }
  const std::uint16_t* copies = tables_.copies.data();
  for (std::size_t at = 0; at < tables_.copies.size(); at += 2) cells[copies[at]] = cells[copies[at + 1]];
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
template <bool FirstFeature>
void Scorer::add_distances(const ScoringPlan& plan, Scratch& scratch) const {
  if (scratch.last_targets.empty()) return;
  const auto points = static_cast<std::size_t>(tables_.n_points);
  for (std::size_t index = 0; index < scratch.n_targets; ++index) {
    std::int32_t nearest = std::numeric_limits<std::int32_t>::max();
    for (const std::int32_t last : scratch.last_targets) {
      const std::size_t pair =
          static_cast<std::size_t>(last) * points + static_cast<std::size_t>(scratch.targets[index]);
      nearest = std::min(nearest, tables_.distance_id[pair]);
    }
    const Slot slot = plan.distances[static_cast<std::size_t>(nearest)];
    scratch.values[index] = join<FirstFeature>(scratch.values[index], scratch.conditions.adds[slot]);
  }
}

template <bool FirstFeature>
void Scorer::add_pieces(const PieceAutomaton& automaton, const std::uint16_t* lists, std::int32_t length,
                        Scratch& scratch) const {
  if (automaton.depth == 0) return;
  const PieceLists around{{scratch.cells.data(), tables_.cells.size()}, lists, length};
  const auto join_pieces = FirstFeature ? kernels_.first_pieces : kernels_.add_pieces;
  join_pieces(automaton, around, {scratch.targets.data(), scratch.n_targets}, scratch.conditions.adds,
              scratch.values.data());
}

std::uint64_t* Scorer::keys_of(std::int32_t neighbourhood, Scratch& scratch) const {
  return scratch.keys.data() + keys_start_[static_cast<std::size_t>(neighbourhood)] * scratch.n_targets;
}

// Finds the place of each target in each table, table by table.
void Scorer::find_patterns(const ScoringPlan& plan, Scratch& scratch) const {
  const std::size_t targets = scratch.n_targets;
  std::uint32_t* places = scratch.places.data();
  if (!plan.seen.empty()) {
    std::transform(scratch.cells.begin(), scratch.cells.begin() + static_cast<std::ptrdiff_t>(tables_.cells.size()),
                   scratch.seen.begin(), [&](std::uint8_t code) { return plan.seen[code]; });
  }
  std::int32_t neighbourhood = -1;
  for (const PatternTable& table : plan.patterns) {
    const NeighbourhoodTables& around = tables_.neighbourhoods[static_cast<std::size_t>(table.neighbourhood())];
    const std::uint64_t* keys = keys_of(table.neighbourhood(), scratch);
    if (table.neighbourhood() != neighbourhood) make_keys(table.neighbourhood(), scratch);
    neighbourhood = table.neighbourhood();
    const auto words = static_cast<std::size_t>(around.words);
    for (std::size_t index = 0; index < targets; ++index) places[index] = table.find(keys + index * words);
    places += targets;
  }
}

template <bool FirstFeature>
void Scorer::add_patterns(const ScoringPlan& plan, Scratch& scratch) const {
  const std::size_t targets = scratch.n_targets;
  const std::int32_t* adds = scratch.conditions.adds;
  const std::uint32_t* places = scratch.places.data();
  std::int32_t* values = scratch.values.data();
  for (const PatternTable& table : plan.patterns) {
    const std::uint64_t* keys = keys_of(table.neighbourhood(), scratch);
    const auto words =
        static_cast<std::size_t>(tables_.neighbourhoods[static_cast<std::size_t>(table.neighbourhood())].words);
    for (std::size_t index = 0; index < targets; ++index) {
      const Slot found = table.look_up(places[index], keys + index * words);
      values[index] = join<FirstFeature>(values[index], adds[found]);
    }
    places += targets;
  }
}

void Scorer::make_keys(std::int32_t neighbourhood, Scratch& scratch) const {
  const NeighbourhoodTables& around = tables_.neighbourhoods[static_cast<std::size_t>(neighbourhood)];
  const auto words = static_cast<std::size_t>(around.words);
  const std::uint64_t run_mask = ~std::uint64_t{0} >> (64 - 8 * around.run_length);
  const std::uint8_t* cells = around.relative ? scratch.seen.data() : scratch.cells.data();
  std::uint64_t* key = keys_of(neighbourhood, scratch);
  for (std::size_t index = 0; index < scratch.n_targets; ++index) {
    const std::int32_t target = scratch.targets[index];
    const std::uint8_t* centre = cells + tables_.point_cell[static_cast<std::size_t>(target)];
    std::size_t run = 0;
    for (std::size_t word = 0; word < words; ++word) {
      std::uint64_t bits = 0;
      for (; run < static_cast<std::size_t>(around.word_end[word]); ++run) {
        std::uint64_t codes;
        std::memcpy(&codes, centre + around.run_offset[run], WORD_BYTES);
        bits |= (codes & run_mask) << around.run_shift[run];
      }
      *key++ = bits;
    }
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
