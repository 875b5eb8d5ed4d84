// In which order waiting matches begin. Whatever it is, each goes the same way.
#include <algorithm>
#include <numeric>

#include "arena.hpp"
#include "lane_mask.hpp"

namespace gdl {
namespace {

// Joint moves after which a playout counts as long as any.
constexpr std::int32_t LONGEST = 1 << 10;
constexpr std::uint64_t SEED = 0;

}  // namespace

// The longest first, by one random playout each: with short ones left for the end, no lane searches on alone while the
// others have nothing to do. As given where the lanes suffice for all, nobody searches, or all begin alike.
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
  std::vector<std::int32_t> lengths;
  while (lengths.size() < starts_.size()) measure_starts(lengths);
  std::ranges::stable_sort(order_, [&lengths](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
}

// Appends the joint moves of random playouts of the next matches, as many as there are lanes.
void Arena::measure_starts(std::vector<std::int32_t>& lengths) {
  const std::size_t first = lengths.size(), count = std::min(lanes_.size(), starts_.size() - first);
  lengths.resize(first + count, LONGEST);
  Mask playing(terminal_.size()), ready(terminal_.size());
  for (std::size_t place = 0; place < count; ++place) {
    const int lane = static_cast<int>(place);
    engine_.load(lane, starts_[first + place].state, hash_combine(SEED, first + place));
    include(playing, lane);
  }
  for (std::int32_t length = 0; any(playing) && length < LONGEST; ++length) {
    engine_.evaluate(playing.data(), ready.data());
    engine_.terminal(terminal_.data());
    for (std::size_t word = 0; word < ready.size(); ++word) {
      ready[word] &= playing[word];
      playing[word] &= ~(ready[word] & terminal_[word]);
      asked_[word] = ready[word] & terminal_[word];
      ready[word] &= ~terminal_[word];
    }
    for_each_lane(asked_, [&](int lane) { lengths[first + static_cast<std::size_t>(lane)] = length; });
    engine_.choose(ready.data());
    engine_.advance();
  }
}

}  // namespace gdl
