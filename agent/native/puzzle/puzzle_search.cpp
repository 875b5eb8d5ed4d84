#include "puzzle/puzzle_search.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "circuit/legal_rows.hpp"
#include "puzzle/descents.hpp"
#include "puzzle/nested_rollouts.hpp"
#include "puzzle/probes.hpp"

namespace gdl {
namespace {

// Publishing takes some microseconds.
constexpr double SECONDS_BETWEEN_PUBLICATIONS = 0.01;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

PuzzleSearch::PuzzleSearch(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                           std::shared_ptr<const Circuit> without_dead_ends, std::size_t max_bytes, PuzzleWork work)
    : circuit_(circuit),
      work_(work),
      largest_goal_(circuit.largest_goals().front()),
      best_first_(circuit, programs, max_bytes),
      without_dead_ends_(std::move(without_dead_ends)),
      replay_(circuit) {
  if (without_dead_ends_) {
    auto own = std::make_shared<const ProgramSet>(compile_programs(*without_dead_ends_));
    rollouts_.push_back(std::make_unique<Probes>(*without_dead_ends_, std::move(own)));
  }
  rollouts_.push_back(std::make_unique<Descents>(circuit, programs));
  rollouts_.push_back(std::make_unique<NestedRollouts>(circuit, std::move(programs)));
}

PuzzleKnowledge PuzzleSearch::think(std::span<const std::uint64_t> state, std::uint64_t seed, PuzzleLimits limits) {
  const auto start = std::chrono::steady_clock::now();
  if (!std::ranges::equal(root_, state)) begin(state, seed);
  const std::int64_t before = generated();
  const double end = limits.seconds > 0 ? limits.seconds : std::numeric_limits<double>::infinity();
  double due = 0;
  const auto late = [&] { return stopped_ || seconds_since(start) >= end; };
  while (!proven() && !stopped_) {
    const double now = seconds_since(start);
    if (now >= end || (limits.states > 0 && generated() - before >= limits.states)) break;
    if (now >= due) {
      published_.publish(knowledge(seed, before));
      due = now + SECONDS_BETWEEN_PUBLICATIONS;
    }
    step(late);
  }
  if (best_first_.stuck()) throw RuleViolation("every line comes to a state with no legal move that is not terminal");
  found_ = knowledge(seed, before);
  published_.publish(found_);
  return found_;
}

PuzzleKnowledge PuzzleSearch::known(std::span<const std::uint64_t> state, std::uint64_t seed) {
  const PuzzleKnowledge& latest = published_.latest();
  if (!std::ranges::equal(latest.state, state)) return {};
  PuzzleKnowledge found = latest;
  if (latest.seed != seed) found.states = 0;
  return found;
}

std::vector<std::int32_t> PuzzleSearch::line(std::int32_t first, std::size_t longest) const {
  const auto moves = found_.moves();
  if (moves.empty() || moves.front() != first) return {};
  return {moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(std::min(longest, moves.size()))};
}

void PuzzleSearch::begin(std::span<const std::uint64_t> state, std::uint64_t seed) {
  root_.assign(state.begin(), state.end());
  legal_ = replay_.legal(state);
  best_first_.begin(state, seed);
  for (const auto& each : rollouts_) each->begin(state, seed);
}

void PuzzleSearch::step(const std::function<bool()>& stop) {
  LineSearch& next = next_rollouts();
  const std::int64_t due = rolled_out() + next.states_of_step();
  const bool alternates = work_ == PuzzleWork::Alternate || best_first_.began_again();
  const bool rolls_out =
      work_ == PuzzleWork::RolloutsOnly || best_first_.ended() || (alternates && due <= best_first_.generated());
  if (rolls_out) {
    next.step(stop);
  } else {
    best_first_.step();
  }
}

LineSearch& PuzzleSearch::next_rollouts() const {
  return **std::ranges::min_element(rollouts_, {},
                                    [](const auto& each) { return std::pair(each->stuck(), each->states()); });
}

std::int64_t PuzzleSearch::rolled_out() const {
  std::int64_t states = 0;
  for (const auto& each : rollouts_) states += each->states();
  return states;
}

bool PuzzleSearch::proven() const {
  const auto best = [this](const auto& each) { return each->best().goal >= largest_goal_; };
  return best_first_.proven() || std::ranges::any_of(rollouts_, best);
}

PuzzleKnowledge PuzzleSearch::knowledge(std::uint64_t seed, std::int64_t before) const {
  PuzzleKnowledge found{.state = root_,
                        .seed = seed,
                        .legal = legal_,
                        .best = best_first_.best(),
                        .promising = best_first_.promising(),
                        .proven = proven(),
                        .states = generated() - before,
                        .seen = generated(),
                        .distinct = static_cast<std::uint32_t>(best_first_.distinct()),
                        .bytes = best_first_.bytes()};
  for (const auto& each : rollouts_) {
    if (each->best().better_than(found.best)) found.best = each->best();
  }
  return found;
}

}  // namespace gdl
