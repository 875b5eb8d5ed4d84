#include "match/match_queue.hpp"

#include <algorithm>
#include <numeric>

#include "match/lane_schedule.hpp"
#include "random/random.hpp"

namespace gdl {
namespace {

// Joint moves after which a playout counts as long as any.
constexpr std::int32_t LONGEST = 1 << 10;
constexpr std::uint64_t SEED = 0;
// A position is measured by one playout for each PLAYOUTS_OF_SAMPLE that search it, from 1 to MOST_SAMPLES.
constexpr std::int64_t PLAYOUTS_OF_SAMPLE = 250;
constexpr std::int64_t MOST_SAMPLES = 4;

// Plays the random playouts `first` to `last`, at most as many as there are lanes, and adds their joint moves to the
// lengths of the matches that they begin with, which take turns.
void measure(LaneEngine& engine, std::span<const MatchStart> starts, std::size_t first, std::size_t last,
             std::vector<std::int32_t>& lengths) {
  const auto lanes = static_cast<std::size_t>(engine.lanes());
  LaneMask playing(lanes), ready(lanes), terminal(lanes);
  const auto start_of = [&](int lane) { return (first + static_cast<std::size_t>(lane)) % starts.size(); };
  for (std::size_t playout = first; playout < last; ++playout) {
    const int lane = static_cast<int>(playout - first);
    engine.load(lane, starts[start_of(lane)].state, hash_combine(SEED, playout));
    playing.include(lane);
  }
  for (std::int32_t length = 0; playing.any() && length < LONGEST; ++length) {
    engine.evaluate(playing.words(), ready.words());
    engine.terminal(terminal.words());
    terminal &= ready;
    playing -= terminal;
    ready &= playing;
    playing.for_each([&](int lane) { ++lengths[start_of(lane)]; });
    engine.choose(ready.words());
    engine.advance();
  }
}

}  // namespace

std::vector<std::size_t> order_of_starts(const Circuit& circuit, LaneEngine& engine,
                                         std::span<const PlayerSpec> players, std::span<const MatchStart> starts,
                                         std::size_t at_once) {
  std::vector<std::size_t> order(starts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto searches = [](const PlayerSpec& player) { return player.kind == PlayerKind::Uct; };
  const auto begins_as_first = [&](const MatchStart& start) {
    return std::equal(start.state, start.state + circuit.state_words(), starts.front().state);
  };
  if (starts.size() <= at_once || std::ranges::none_of(players, searches) ||
      std::ranges::all_of(starts, begins_as_first)) {
    return order;
  }
  std::int64_t searched = 0;
  for (const PlayerSpec& player : players) searched = std::max(searched, player.playouts);
  const auto samples =
      static_cast<std::size_t>(std::clamp<std::int64_t>(searched / PLAYOUTS_OF_SAMPLE, 1, MOST_SAMPLES));
  const auto lanes = static_cast<std::size_t>(engine.lanes());
  std::vector<std::int32_t> lengths(starts.size(), 0);
  for (std::size_t first = 0, end = samples * starts.size(); first < end; first += lanes) {
    measure(engine, starts, first, std::min(first + lanes, end), lengths);
  }
  std::ranges::stable_sort(order, [&lengths](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  return order;
}

}  // namespace gdl
