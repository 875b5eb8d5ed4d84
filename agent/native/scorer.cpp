#include "scorer.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

namespace gdl {
namespace {

constexpr std::int32_t kNoRank = std::numeric_limits<std::int32_t>::max();

// Spreads the words of a key over the buckets of a hash table.
inline std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
  return hash ^ (hash >> 32);
}

// Weights add up; of ranks the smallest counts.
template <bool kFirst>
inline std::int32_t join(std::int32_t left, std::int32_t right) {
  if constexpr (kFirst) return std::min(left, right);
  return left + right;
}

}  // namespace

PatternGroup make_pattern_group(std::int32_t neighbourhood, std::vector<std::uint64_t> mask,
                                std::span<const std::uint64_t> keys, std::span<const std::int32_t> slots) {
  const std::size_t words = mask.size();
  const std::size_t buckets = std::bit_ceil(2 * slots.size() + 1);
  PatternGroup group{.neighbourhood = neighbourhood, .mask = std::move(mask), .keys = {}, .slots = {}};
  group.keys.assign(buckets * words, 0);
  group.slots.assign(buckets, -1);
  for (std::size_t pattern = 0; pattern < slots.size(); ++pattern) {
    const std::uint64_t* key = keys.data() + pattern * words;
    std::uint64_t hash = 0;
    for (std::size_t word = 0; word < words; ++word) hash = mix(hash, key[word]);
    std::size_t bucket = hash & (buckets - 1);
    while (group.slots[bucket] >= 0) bucket = (bucket + 1) & (buckets - 1);
    std::copy_n(key, words, group.keys.data() + bucket * words);
    group.slots[bucket] = slots[pattern];
  }
  return group;
}

Scorer::Scorer(ScorerTables tables) : tables_(std::move(tables)) {
  for (Plan& plan : tables_.plans) {
    const bool lines =
        std::any_of(plan.lines.begin(), plan.lines.end(), [](const auto& line) { return !line.empty(); });
    plan.reads_board = lines || !plan.nearest.empty() || !plan.patterns.empty();
    plan.reads_target = plan.reads_board || !plan.distance_slot.empty();
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
  const std::size_t conditions = tables_.condition_start.size() - 1;
  std::size_t words = 1;
  for (const Neighbourhood& each : tables_.neighbourhoods) words = std::max(words, std::size_t(each.words));
  Scratch scratch;
  scratch.board.assign(points + 1, 0);
  scratch.board[points] = static_cast<std::uint8_t>(tables_.n_pieces + 1);
  scratch.target_epoch.assign(points, 0);
  scratch.target_value.assign(points, 0);
  scratch.condition_epoch.assign(conditions, 0);
  scratch.condition_holds.assign(conditions, 0);
  scratch.last_targets.reserve(static_cast<std::size_t>(tables_.n_roles));
  scratch.key.assign(words, 0);
  return scratch;
}

void Scorer::score(Phase phase, int role, const std::uint64_t* state, const std::int32_t* last_rows,
                   std::span<const std::int32_t> rows, std::span<std::uint32_t> weights, Scratch& scratch) const {
  const Plan& chosen = plan(phase, role);
  if (!chosen.acts) {
    std::fill_n(weights.begin(), rows.size(), weight_of(0));
  } else if (tables_.first_feature) {
    score_plan<true>(chosen, state, last_rows, rows, weights, scratch);
  } else {
    score_plan<false>(chosen, state, last_rows, rows, weights, scratch);
  }
}

template <bool kFirst>
void Scorer::score_plan(const Plan& plan, const std::uint64_t* state, const std::int32_t* last_rows,
                        std::span<const std::int32_t> rows, std::span<std::uint32_t> weights, Scratch& scratch) const {
  next_epoch(scratch);
  if (plan.reads_board) read_board(state, scratch);
  if (!plan.distance_slot.empty()) read_last_targets(last_rows, scratch);
  const std::int32_t always = add<kFirst>(kFirst ? kNoRank : 0, plan, plan.always, state, scratch);
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const auto row = static_cast<std::size_t>(rows[index]);
    std::int32_t value = add<kFirst>(always, plan, plan.row_slot[row], state, scratch);
    const std::int32_t target = tables_.row_target[row];
    if (plan.reads_target && target >= 0)
      value = join<kFirst>(value, target_value<kFirst>(plan, target, state, scratch));
    if constexpr (kFirst) value = value == kNoRank ? 0 : plan.rank_weight[static_cast<std::size_t>(value)];
    weights[index] = weight_of(value);
  }
}

template <bool kFirst>
inline std::int32_t Scorer::add(std::int32_t value, const Plan& plan, std::int32_t slot, const std::uint64_t* state,
                                Scratch& scratch) const {
  const Slot& found = plan.slots[static_cast<std::size_t>(slot)];
  value = join<kFirst>(value, found.value);
  for (std::int32_t hit = found.first_hit; hit < found.last_hit; ++hit) {
    const auto index = static_cast<std::size_t>(hit);
    if (holds(plan.hit_condition[index], state, scratch)) value = join<kFirst>(value, plan.hit_value[index]);
  }
  return value;
}

// What the surroundings of a target and the last move add; computed once per state and target.
template <bool kFirst>
std::int32_t Scorer::target_value(const Plan& plan, std::int32_t target, const std::uint64_t* state,
                                  Scratch& scratch) const {
  const auto point = static_cast<std::size_t>(target);
  if (scratch.target_epoch[point] == scratch.epoch) return scratch.target_value[point];
  std::int32_t value = kFirst ? kNoRank : 0;
  if (!plan.distance_slot.empty() && !scratch.last_targets.empty()) {
    const auto distance = static_cast<std::size_t>(nearest_distance(target, scratch));
    value = add<kFirst>(value, plan, plan.distance_slot[distance], state, scratch);
  }
  if (!plan.nearest.empty()) {
    const auto length = static_cast<std::size_t>(tables_.n_points - 1);
    const std::span<const std::int32_t> order(tables_.nearest.data() + point * length, length);
    value = add_automaton<kFirst>(value, plan, plan.nearest, order, state, scratch);
  }
  for (std::size_t dimension = 0; dimension < plan.lines.size(); ++dimension) {
    if (plan.lines[dimension].empty()) continue;
    const auto length = static_cast<std::size_t>(tables_.line_length);
    const std::size_t line = dimension * static_cast<std::size_t>(tables_.n_points) + point;
    const std::span<const std::int32_t> order(tables_.lines.data() + line * length, length);
    value = add_automaton<kFirst>(value, plan, plan.lines[dimension], order, state, scratch);
  }
  value = add_patterns<kFirst>(value, plan, target, state, scratch);
  scratch.target_epoch[point] = scratch.epoch;
  scratch.target_value[point] = value;
  return value;
}

template <bool kFirst>
std::int32_t Scorer::add_automaton(std::int32_t value, const Plan& plan, const PieceAutomaton& automaton,
                                   std::span<const std::int32_t> order, const std::uint64_t* state,
                                   Scratch& scratch) const {
  std::int32_t node = 0;
  for (const std::int32_t point : order) {
    if (point < 0) break;
    const std::int32_t code = scratch.board[static_cast<std::size_t>(point)];
    if (code == 0) continue;
    node = automaton.next[static_cast<std::size_t>(node * tables_.n_pieces + code - 1)];
    if (node < 0) break;
    value = add<kFirst>(value, plan, automaton.slot[static_cast<std::size_t>(node)], state, scratch);
  }
  return value;
}

template <bool kFirst>
std::int32_t Scorer::add_patterns(std::int32_t value, const Plan& plan, std::int32_t target, const std::uint64_t* state,
                                  Scratch& scratch) const {
  std::int32_t current = -1;
  std::uint64_t* key = scratch.key.data();
  for (const PatternGroup& group : plan.patterns) {
    const Neighbourhood& around = tables_.neighbourhoods[static_cast<std::size_t>(group.neighbourhood)];
    if (group.neighbourhood != current) {  // groups of one radius follow each other
      current = group.neighbourhood;
      const std::int32_t* point = around.points.data() + target * around.entries;
      const int per_word = 64 / tables_.key_bits;
      for (std::int32_t word = 0, entry = 0; word < around.words; ++word) {
        const std::int32_t end = std::min(around.entries, entry + per_word);
        std::uint64_t bits = 0;
        for (int shift = 0; entry < end; ++entry, shift += tables_.key_bits) {
          bits |= std::uint64_t{scratch.board[static_cast<std::size_t>(point[entry])]} << shift;
        }
        key[word] = bits;
      }
    }
    const auto words = static_cast<std::size_t>(around.words);
    std::uint64_t hash = 0;
    for (std::size_t word = 0; word < words; ++word) hash = mix(hash, key[word] & group.mask[word]);
    const std::size_t last_bucket = group.slots.size() - 1;
    for (std::size_t bucket = hash & last_bucket; group.slots[bucket] >= 0; bucket = (bucket + 1) & last_bucket) {
      const std::uint64_t* candidate = group.keys.data() + bucket * words;
      std::size_t word = 0;
      while (word < words && candidate[word] == (key[word] & group.mask[word])) ++word;
      if (word == words) {
        value = add<kFirst>(value, plan, group.slots[bucket], state, scratch);
        break;
      }
    }
  }
  return value;
}

// Whether an itemset holds: every item has a fluent that holds. Evaluated once per state.
bool Scorer::holds(std::int32_t condition, const std::uint64_t* state, Scratch& scratch) const {
  const auto index = static_cast<std::size_t>(condition);
  if (scratch.condition_epoch[index] == scratch.epoch) return scratch.condition_holds[index] != 0;
  bool all = true;
  for (std::int32_t item = tables_.condition_start[index]; all && item < tables_.condition_start[index + 1]; ++item) {
    const auto first = static_cast<std::size_t>(tables_.item_start[static_cast<std::size_t>(item)]);
    const auto last = static_cast<std::size_t>(tables_.item_start[static_cast<std::size_t>(item) + 1]);
    bool any = false;
    for (std::size_t each = first; !any && each < last; ++each) {
      const auto fluent = static_cast<std::uint32_t>(tables_.item_fluents[each]);
      any = ((state[fluent / 64] >> (fluent % 64)) & 1) != 0;
    }
    all = any;
  }
  scratch.condition_epoch[index] = scratch.epoch;
  scratch.condition_holds[index] = all ? 1 : 0;
  return all;
}

void Scorer::next_epoch(Scratch& scratch) const {
  if (++scratch.epoch != 0) return;
  std::fill(scratch.target_epoch.begin(), scratch.target_epoch.end(), 0u);
  std::fill(scratch.condition_epoch.begin(), scratch.condition_epoch.end(), 0u);
  scratch.epoch = 1;
}

void Scorer::read_board(const std::uint64_t* state, Scratch& scratch) const {
  std::uint8_t* board = scratch.board.data();
  std::fill_n(board, tables_.n_points, std::uint8_t{0});
  for (std::int32_t word = 0; word < tables_.state_words; ++word) {
    for (std::uint64_t bits = state[word]; bits != 0; bits &= bits - 1) {
      const auto fluent = static_cast<std::size_t>(word) * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      const std::int32_t point = tables_.fluent_point[fluent];
      if (point < 0) continue;
      const std::uint8_t code = tables_.fluent_piece[fluent];
      std::uint8_t& field = board[point];
      // The smallest code stays; an empty field (0) wraps to the largest.
      if (static_cast<std::uint8_t>(code - 1) < static_cast<std::uint8_t>(field - 1)) field = code;
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

// Ids of distances ascend with the distance.
std::int32_t Scorer::nearest_distance(std::int32_t target, const Scratch& scratch) const {
  std::int32_t smallest = std::numeric_limits<std::int32_t>::max();
  for (const std::int32_t last : scratch.last_targets) {
    const std::size_t pair = static_cast<std::size_t>(last) * static_cast<std::size_t>(tables_.n_points);
    smallest = std::min(smallest, tables_.distance_id[pair + static_cast<std::size_t>(target)]);
  }
  return smallest;
}

std::uint32_t Scorer::weight_of(std::int32_t sum) const {
  if (tables_.exponential) {
    const std::int32_t clamped = std::clamp(sum, tables_.exponential_low, -tables_.exponential_low);
    return tables_.exponential_weight[static_cast<std::size_t>(clamped - tables_.exponential_low)];
  }
  return static_cast<std::uint32_t>(std::max(1, tables_.base + sum));
}

}  // namespace gdl
