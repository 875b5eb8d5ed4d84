#include "search/ngram_table.hpp"

#include <algorithm>
#include <bit>

namespace gdl {
namespace {

constexpr std::uint32_t MOST_VISITS = 4095;
constexpr double NEVER_MADE = 100;

std::size_t sets_beside(const TreeLimits& limits, std::size_t bytes_of_set) {
  const std::size_t wanted = std::bit_ceil(std::clamp<std::size_t>(limits.states / 2, 1, NGramTable::MOST_SETS));
  if (limits.bytes == 0) return wanted;
  return std::min(wanted, std::bit_floor(std::max<std::size_t>(limits.bytes / 8 / bytes_of_set, 1)));
}

}  // namespace

NGramTable::NGramTable(std::size_t rows, const TreeLimits& limits)
    : moves_(rows), sets_(sets_beside(limits, sizeof(Set))) {}

void NGramTable::NGramGoals::add(std::int32_t goal) {
  if (visits == MOST_VISITS) halve();
  visits = visits + 1;
  sum = sum + static_cast<std::uint32_t>(goal);
}

void NGramTable::NGramGoals::halve() {
  if (visits == 0) return;
  sum = sum * (visits / 2) / visits;
  visits = visits / 2;
}

void NGramTable::fade() {
  if (empty_) return;
  for (NGramGoals& goals : moves_) goals.halve();
  for (Set& set : sets_) {
    for (NGramEntry& entry : set.entries) entry.goals.halve();
  }
}

void NGramTable::add(std::span<const Made> moves, const std::int32_t* goals, Work& work) {
  for (const Made& made : moves) {
    for (int longer = 0; longer < made.longer; ++longer) __builtin_prefetch(&sets_[set_of(made.keys[longer])], 1);
  }
  for (const Made& made : moves) {
    moves_[static_cast<std::size_t>(made.row)].add(goals[made.role]);
    for (int longer = 0; longer < made.longer; ++longer) count(made.keys[longer], goals[made.role]);
    work.add(Operation::Recall, made.longer);
  }
  empty_ = empty_ && moves.empty();
}

void NGramTable::count(std::uint64_t key, std::int32_t goal) {
  auto& entries = sets_[set_of(key)].entries;
  NGramEntry* least = &entries.front();
  for (NGramEntry& entry : entries) {
    if (entry.goals.visits > 0 && entry.tag == tag_of(key)) return entry.goals.add(goal);
    if (entry.goals.visits < least->goals.visits) least = &entry;
  }
  *least = {tag_of(key), {}};
  least->goals.add(goal);
}

const NGramTable::NGramGoals* NGramTable::find(std::uint64_t key) const {
  for (const NGramEntry& entry : sets_[set_of(key)].entries) {
    if (entry.tag == tag_of(key) && entry.goals.visits >= ENOUGH) return &entry.goals;
  }
  return nullptr;
}

void NGramTable::estimate(std::span<const std::int32_t> rows, const MoveContext& context,
                          std::vector<NGramEstimate>& estimates, Work& work) const {
  estimate_alone(rows, context, estimates);
  for (int length = 2; length <= context.known + 1; ++length) lengthen(rows, context, length, estimates, work);
}

// Estimates the moves alone first, and meanwhile fetches the longer n-grams from memory.
void NGramTable::estimate_alone(std::span<const std::int32_t> rows, const MoveContext& context,
                                std::vector<NGramEstimate>& estimates) const {
  estimates.clear();
  for (const std::int32_t row : rows) {
    const NGramGoals& goals = moves_[static_cast<std::size_t>(row)];
    const bool longer = goals.visits >= ENOUGH && context.known > 0;
    estimates.push_back({goals.visits == 0 ? NEVER_MADE : goals.mean(), 1, longer});
    if (longer) __builtin_prefetch(&sets_[set_of(context.pair(row))]);
  }
}

void NGramTable::lengthen(std::span<const std::int32_t> rows, const MoveContext& context, int length,
                          std::vector<NGramEstimate>& estimates, Work& work) const {
  for (std::size_t place = 0; place < rows.size(); ++place) {
    NGramEstimate& estimate = estimates[place];
    if (!estimate.longer) continue;
    work.add(Operation::Recall);
    const NGramGoals* goals = find(length == 2 ? context.pair(rows[place]) : context.triple(rows[place]));
    estimate.longer = goals != nullptr && length <= context.known;
    if (goals == nullptr) continue;
    estimate.sum += goals->mean();
    ++estimate.seen;
    if (estimate.longer) __builtin_prefetch(&sets_[set_of(context.triple(rows[place]))]);
  }
}

}  // namespace gdl
