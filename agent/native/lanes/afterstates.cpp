#include "lanes/afterstates.hpp"

#include <algorithm>

#include "hardware/instruction_set.hpp"

namespace gdl {
namespace {

void include_lanes(std::vector<std::uint64_t>& mask, std::size_t first, std::size_t last) {
  for (std::size_t lane = first; lane < last; ++lane) mask[lane / 64] |= std::uint64_t{1} << (lane % 64);
}

}  // namespace

Afterstates::Afterstates(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, int lanes,
                         const DerivedFacts& facts)
    : circuit_(circuit),
      engine_(make_lane_engine(circuit, std::move(programs), lanes, chosen_instruction_set())),
      facts_(facts),
      mask_(static_cast<std::size_t>(lanes) / 64),
      shown_(static_cast<std::size_t>(lanes) * facts.words()) {
  if (facts.cells != nullptr) facts.cells->check_rows(circuit.legal.size());
}

void Afterstates::find(std::span<const PositionMoves> positions) {
  const auto lanes = static_cast<std::size_t>(engine_->lanes());
  first_.clear();
  change_end_.clear();
  changed_.clear();
  goal_place_.clear();
  goals_.clear();
  derived_.clear();
  std::size_t moves = 0;
  for (const PositionMoves& position : positions) {
    first_.push_back(moves);
    moves += position.rows.size();
  }
  std::size_t position = 0, move = 0;
  while (position < positions.size()) {
    // Whole positions and the beginning of one fill the lanes; the rest of that one follows.
    struct Part {
      std::size_t position, move, lane, lanes;
    };
    std::vector<Part> parts;
    std::size_t used = 0;
    while (position < positions.size() && used < lanes) {
      const std::size_t left = positions[position].rows.size() - move;
      const std::size_t taken = std::min(left, lanes - used);
      std::ranges::fill(mask_, 0);
      include_lanes(mask_, used, used + taken);
      engine_->load_copies(mask_.data(), positions[position].state);
      parts.push_back({position, move, used, taken});
      used += taken;
      move += taken;
      if (move == positions[position].rows.size()) {
        ++position;
        move = 0;
      }
    }
    engine_->evaluate();
    for (const Part& part : parts) {
      const PositionMoves& from = positions[part.position];
      std::ranges::fill(mask_, 0);
      include_lanes(mask_, part.lane, part.lane + part.lanes);
      for (std::int32_t role = 0; role < circuit_.n_roles; ++role) {
        if (role != from.role) engine_->force(mask_.data(), from.joint[static_cast<std::size_t>(role)]);
      }
      engine_->force(static_cast<int>(part.lane), from.rows.subspan(part.move, part.lanes));
    }
    run(used);
  }
  if (!facts_.empty()) find_usual(positions);
}

void Afterstates::find_usual(std::span<const PositionMoves> positions) {
  const std::size_t words = facts_.words();
  usual_.resize(positions.size() * words);
  for (std::size_t position = 0; position < positions.size(); ++position) {
    const std::size_t moves = positions[position].rows.size();
    const std::uint64_t* first = derived_.data() + first_[position] * words;
    const std::uint64_t* middle = first + moves / 2 * words;
    const std::uint64_t* last = first + (moves - 1) * words;
    std::uint64_t* usual = usual_.data() + position * words;
    for (std::size_t word = 0; word < words; ++word) {
      usual[word] = (first[word] & middle[word]) | (first[word] & last[word]) | (middle[word] & last[word]);
    }
  }
}

void Afterstates::run(std::size_t lanes) {
  std::ranges::fill(mask_, 0);
  include_lanes(mask_, 0, lanes);
  engine_->advance(mask_.data(), changes_);
  engine_->evaluate();
  if (!facts_.empty()) {
    engine_->read_derived(facts_, mask_.data(), shown_.data());
    derived_.insert(derived_.end(), shown_.begin(),
                    shown_.begin() + static_cast<std::ptrdiff_t>(lanes * facts_.words()));
  }
  engine_->terminal(mask_.data());
  const auto roles = static_cast<std::size_t>(circuit_.n_roles);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    changed_.insert(changed_.end(), changes_.fluents[lane].begin(), changes_.fluents[lane].end());
    change_end_.push_back(changed_.size());
    if ((mask_[lane / 64] >> (lane % 64) & 1u) == 0) {
      goal_place_.push_back(-1);
      continue;
    }
    goal_place_.push_back(static_cast<std::int32_t>(goals_.size()));
    goals_.resize(goals_.size() + roles);
    std::int32_t* goals = goals_.data() + (goals_.size() - roles);
    engine_->goals(static_cast<int>(lane), goals);
    for (std::size_t role = 0; role < roles; ++role) goals[role] = std::max(goals[role], 0);
  }
}

Afterstate Afterstates::at(std::size_t position, std::size_t move) const {
  const std::size_t index = first_[position] + move;
  const std::size_t begin = index == 0 ? 0 : change_end_[index - 1];
  const std::int32_t goals = goal_place_[index];
  const std::size_t words = facts_.words();
  return {{changed_.data() + begin, changed_.data() + change_end_[index]},
          goals < 0 ? nullptr : goals_.data() + goals,
          {derived_.data() + index * words, words}};
}

}  // namespace gdl
