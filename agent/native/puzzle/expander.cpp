#include "puzzle/expander.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "hardware/instruction_set.hpp"

namespace gdl {
namespace {

constexpr int LANES = 512;

void set_lanes(std::vector<std::uint64_t>& mask, std::size_t first, std::size_t last) {
  std::ranges::fill(mask, 0);
  for (std::size_t lane = first; lane < last; ++lane) mask[lane / 64] |= std::uint64_t{1} << (lane % 64);
}

bool has_lane(const std::vector<std::uint64_t>& mask, std::size_t lane) {
  return (mask[lane / 64] >> (lane % 64) & 1u) != 0;
}

}  // namespace

Expander::Expander(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs)
    : circuit_(circuit),
      engine_(make_lane_engine(circuit, std::move(programs), LANES, chosen_instruction_set())),
      mask_(LANES / 64),
      ended_(LANES / 64),
      packed_(LANES * static_cast<std::size_t>(circuit.state_words())) {}

std::span<const Successor> Expander::expand(std::span<const std::uint64_t* const> states) {
  for (std::size_t i = 0; i < states.size(); ++i) engine_->load(static_cast<int>(i), states[i], 0);
  engine_->evaluate();
  set_lanes(mask_, 0, states.size());
  engine_->list_legal(mask_.data(), lists_);
  successors_.clear();
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (const std::int32_t row : lists_.rows[i]) {
      successors_.push_back({static_cast<std::uint32_t>(i), row, nullptr, false, -1, 0});
    }
  }
  const auto words = static_cast<std::size_t>(circuit_.state_words());
  successor_states_.resize(successors_.size() * words);
  for (std::size_t first = 0; first < successors_.size(); first += lanes()) {
    run(states, first, std::min(successors_.size(), first + lanes()));
  }
  return successors_;
}

void Expander::run(std::span<const std::uint64_t* const> states, std::size_t first, std::size_t last) {
  for (std::size_t begin = first; begin < last;) {
    std::size_t end = begin + 1;
    while (end < last && successors_[end].from == successors_[begin].from) ++end;
    set_lanes(mask_, begin - first, end - first);
    engine_->load_copies(mask_.data(), states[successors_[begin].from]);
    begin = end;
  }
  engine_->evaluate();
  for (std::size_t i = first; i < last; ++i) engine_->force(static_cast<int>(i - first), successors_[i].row);
  engine_->advance();
  engine_->evaluate();
  set_lanes(mask_, 0, last - first);
  engine_->terminal(ended_.data());
  engine_->list_legal(mask_.data(), lists_);
  engine_->read_states(mask_.data(), packed_.data());
  const auto words = static_cast<std::size_t>(circuit_.state_words());
  std::copy_n(packed_.data(), (last - first) * words, successor_states_.data() + first * words);
  for (std::size_t i = first; i < last; ++i) {
    Successor& successor = successors_[i];
    successor.state = successor_states_.data() + i * words;
    successor.terminal = has_lane(ended_, i - first);
    successor.moves = successor.terminal ? 0 : static_cast<std::int32_t>(lists_.rows[i - first].size());
    engine_->goals(static_cast<int>(i - first), &successor.goal);
  }
}

}  // namespace gdl
