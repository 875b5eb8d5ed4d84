#include "lanes/state_batch.hpp"

#include <algorithm>
#include <utility>

#include "hardware/instruction_set.hpp"

namespace gdl {
namespace {

constexpr int LANES = 512;

}  // namespace

StateBatch::StateBatch(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs)
    : circuit_(circuit),
      engine_(make_lane_engine(circuit, std::move(programs), LANES, chosen_instruction_set())),
      words_(static_cast<std::size_t>(circuit.state_words())),
      mask_(LANES / 64) {}

template <class Look>
void StateBatch::for_each_filling(const std::uint64_t* states, std::size_t n, Look look) {
  for (std::size_t first = 0; first < n; first += LANES) {
    const std::size_t count = std::min<std::size_t>(LANES, n - first);
    std::ranges::fill(mask_, 0);
    for (std::size_t lane = 0; lane < count; ++lane) {
      engine_->load(static_cast<int>(lane), states + (first + lane) * words_, 0);
      mask_[lane / 64] |= std::uint64_t{1} << (lane % 64);
    }
    engine_->evaluate();
    look(first, count);
  }
}

std::vector<std::uint8_t> StateBatch::terminal(const std::uint64_t* states, std::size_t n) {
  std::vector<std::uint8_t> result(n);
  for_each_filling(states, n, [&](std::size_t first, std::size_t count) {
    engine_->terminal(mask_.data());
    for (std::size_t lane = 0; lane < count; ++lane) result[first + lane] = mask_[lane / 64] >> (lane % 64) & 1u;
  });
  return result;
}

std::vector<std::int32_t> StateBatch::goals(const std::uint64_t* states, std::size_t n) {
  const auto roles = static_cast<std::size_t>(circuit_.n_roles);
  std::vector<std::int32_t> result(n * roles);
  for_each_filling(states, n, [&](std::size_t first, std::size_t count) {
    for (std::size_t lane = 0; lane < count; ++lane) {
      engine_->goals(static_cast<int>(lane), result.data() + (first + lane) * roles);
    }
  });
  return result;
}

LegalRows StateBatch::legal(const std::uint64_t* states, std::size_t n) {
  LegalRows result;
  for_each_filling(states, n, [&](std::size_t, std::size_t count) {
    engine_->list_legal(mask_.data(), lists_);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const auto& rows = lists_.rows[lane];
      result.rows.insert(result.rows.end(), rows.begin(), rows.end());
      result.start.push_back(static_cast<std::int64_t>(result.rows.size()));
    }
  });
  return result;
}

std::vector<std::uint64_t> StateBatch::derived(const DerivedFacts& facts, const std::uint64_t* states, std::size_t n) {
  if (facts.cells != nullptr) facts.cells->check_rows(circuit_.legal.size());
  const std::size_t words = facts.words();
  std::vector<std::uint64_t> result(n * words);
  lanes_.resize(LANES * std::max(words, words_));
  for_each_filling(states, n, [&](std::size_t first, std::size_t count) {
    engine_->read_derived(facts, mask_.data(), lanes_.data());
    std::copy_n(lanes_.data(), count * words, result.data() + first * words);
  });
  return result;
}

std::vector<std::uint64_t> StateBatch::next(const std::uint64_t* states, const std::int32_t* joints, std::size_t n) {
  const auto roles = static_cast<std::size_t>(circuit_.n_roles);
  std::vector<std::uint64_t> result(n * words_);
  lanes_.resize(std::max(lanes_.size(), LANES * words_));
  for_each_filling(states, n, [&](std::size_t first, std::size_t count) {
    for (std::size_t lane = 0; lane < count; ++lane) {
      for (std::size_t role = 0; role < roles; ++role) {
        engine_->force(static_cast<int>(lane), joints[(first + lane) * roles + role]);
      }
    }
    engine_->advance();
    engine_->read_states(mask_.data(), lanes_.data());
    std::copy_n(lanes_.data(), count * words_, result.data() + first * words_);
  });
  return result;
}

}  // namespace gdl
