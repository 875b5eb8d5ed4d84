// In which order waiting matches begin. Whatever it is, each goes the same way.
#include <algorithm>
#include <numeric>

#include "match/arena.hpp"
#include "match/lane_mask.hpp"

namespace gdl {
namespace {

// Joint moves after which a playout counts as long as any.
constexpr std::int32_t LONGEST = 1 << 10;
constexpr std::uint64_t SEED = 0;
// Playouts that measure a position: one where so many are searched, and where more are, more, up to MOST_SAMPLES.
constexpr std::int64_t PLAYOUTS_OF_SAMPLE = 250;
constexpr std::int64_t MOST_SAMPLES = 4;

}  // namespace

// The longest first, by a few random playouts each: with short ones left for the end, no lane searches on alone while
// the others have nothing to do. As given where the lanes suffice for all, nobody searches, or all begin alike.
void Arena::order_starts() {
  order_.resize(starts_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto searches = [](const Player& player) { return player.kind == PlayerKind::Uct; };
  const auto is_first = [this](const MatchStart& start) {
    return std::equal(start.state, start.state + words_, starts_.front().state);
  };
  if (starts_.size() <= groups_.size() || std::ranges::none_of(players_, searches) ||
      std::ranges::all_of(starts_, is_first)) {
    return;
  }
  std::int64_t searched = 0;
  for (const Player& player : players_) searched = std::max(searched, player.playouts);
  const auto samples =
      static_cast<std::size_t>(std::clamp<std::int64_t>(searched / PLAYOUTS_OF_SAMPLE, 1, MOST_SAMPLES));
  std::vector<std::int32_t> lengths(starts_.size(), 0);
  for (std::size_t first = 0, end = samples * starts_.size(); first < end; first += lanes_.size()) {
    measure_starts(first, std::min(first + lanes_.size(), end), lengths);
  }
  std::ranges::stable_sort(order_, [&lengths](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
}

// Adds the joint moves of random playouts `first` to `last`, at most as many as there are lanes, to those of the
// matches they begin with, which are taken in turn.
void Arena::measure_starts(std::size_t first, std::size_t last, std::vector<std::int32_t>& lengths) {
  Mask playing(terminal_.size()), ready(terminal_.size());
  const auto start_of = [&](int lane) { return (first + static_cast<std::size_t>(lane)) % starts_.size(); };
  for (std::size_t playout = first; playout < last; ++playout) {
    const int lane = static_cast<int>(playout - first);
    engine_.load(lane, starts_[start_of(lane)].state, hash_combine(SEED, playout));
    include(playing, lane);
  }
  for (std::int32_t length = 0; any(playing) && length < LONGEST; ++length) {
    engine_.evaluate(playing.data(), ready.data());
    engine_.terminal(terminal_.data());
    for (std::size_t word = 0; word < ready.size(); ++word) {
      ready[word] &= playing[word];
      playing[word] &= ~(ready[word] & terminal_[word]);
      ready[word] &= ~terminal_[word];
    }
    for_each_lane(playing, [&](int lane) { ++lengths[start_of(lane)]; });
    engine_.choose(ready.data());
    engine_.advance();
  }
}

}  // namespace gdl
