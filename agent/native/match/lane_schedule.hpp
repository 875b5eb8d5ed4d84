// A schedule says what every lane does in this step and in the next. It keeps a set of lanes for each kind of work.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace gdl {

// A set of lanes.
// Bit i of the words is lane i, as in LaneEngine. Masks that are combined have the same number of lanes.
class LaneMask {
 public:
  static constexpr std::size_t MOST_LANES = 512;

  // An empty set; `lanes` is a multiple of 64, at most MOST_LANES.
  explicit LaneMask(std::size_t lanes) : n_words_(lanes / 64) {}

  bool holds(int lane) const { return (words_[place(lane)] >> (lane % 64) & 1u) != 0; }
  bool any() const {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < n_words_; ++i) all |= words_[i];
    return all != 0;
  }
  std::int64_t count() const {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < n_words_; ++i) count += std::popcount(words_[i]);
    return count;
  }

  void include(int lane) { words_[place(lane)] |= bit(lane); }
  void exclude(int lane) { words_[place(lane)] &= ~bit(lane); }
  void clear() { words_ = {}; }
  void invert() {
    for (std::size_t i = 0; i < n_words_; ++i) words_[i] = ~words_[i];
  }
  LaneMask& operator|=(const LaneMask& other) {
    for (std::size_t i = 0; i < n_words_; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  LaneMask& operator&=(const LaneMask& other) {
    for (std::size_t i = 0; i < n_words_; ++i) words_[i] &= other.words_[i];
    return *this;
  }
  LaneMask& operator-=(const LaneMask& other) {
    for (std::size_t i = 0; i < n_words_; ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  // Moves the lanes that are in both `other` and `which` from `other` into this set.
  void take(LaneMask& other, const LaneMask& which) {
    for (std::size_t i = 0; i < n_words_; ++i) {
      words_[i] |= other.words_[i] & which.words_[i];
      other.words_[i] &= ~which.words_[i];
    }
  }

  // Calls call(lane), ascending. `call` may include lanes; those of the word of 64 lanes in turn are not visited.
  template <typename Call>
  void for_each(const Call& call) const {
    for (std::size_t i = 0; i < n_words_; ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        call(static_cast<int>(i * 64) + std::countr_zero(rest));
      }
    }
  }

  // [lanes / 64]
  const std::uint64_t* words() const { return words_.data(); }
  std::uint64_t* words() { return words_.data(); }

 private:
  static constexpr std::size_t MOST_WORDS = MOST_LANES / 64;

  static std::size_t place(int lane) { return static_cast<std::size_t>(lane) / 64; }
  static std::uint64_t bit(int lane) { return std::uint64_t{1} << (lane % 64); }

  std::array<std::uint64_t, MOST_WORDS> words_{};  // those past the lanes are 0
  std::size_t n_words_;
};

// The lanes of a mask in spans of as many as go on together: enough for memory to answer one while the others have
// their turn, few enough for what they read to stay in the nearest caches.
class LaneWaves {
 public:
  // Calls call(wave) for each span of the lanes, which `call` may change.
  template <typename Call>
  void for_each(const LaneMask& lanes, const Call& call) {
    lanes_.clear();
    lanes.for_each([this](int lane) { lanes_.push_back(lane); });
    for (std::span<const int> rest = lanes_; !rest.empty();) {
      const std::span<const int> wave = rest.first(std::min(rest.size(), MOST));
      call(wave);
      rest = rest.subspan(wave.size());
    }
  }

 private:
  static constexpr std::size_t MOST = 64;

  std::vector<int> lanes_;
};

// The activities of lanes from one evaluation to the next.
struct LaneActivities {
  explicit LaneActivities(std::size_t lanes)
      : moving(lanes), listing(lanes), arriving(lanes), playing(lanes), drawing(lanes), waiting(lanes) {}

  LaneMask moving;    // show a state in which a joint move is to be made
  LaneMask listing;   // show a state whose legal moves are asked for
  LaneMask arriving;  // show a state to be reported
  LaneMask playing;   // simulate, and draw moves uniformly themselves
  LaneMask drawing;   // simulate, and make the moves that their search draws
  LaneMask waiting;   // do nothing

  // The activities that need the state of their lane.
  std::array<LaneMask*, 5> on_states() { return {&moving, &listing, &arriving, &playing, &drawing}; }
  std::array<const LaneMask*, 5> on_states() const { return {&moving, &listing, &arriving, &playing, &drawing}; }
  bool need_states() const {
    return std::ranges::any_of(on_states(), [](const LaneMask* lanes) { return lanes->any(); });
  }
  void clear() {
    for (LaneMask* lanes : on_states()) lanes->clear();
    waiting.clear();
  }
};

class LaneSchedule {
 public:
  explicit LaneSchedule(std::size_t lanes) : now_(lanes), next_(lanes) {}

  LaneActivities& now() { return now_; }
  LaneActivities& next() { return next_; }

  void clear() {
    now_.clear();
    next_.clear();
  }
  void begin_step() {
    std::swap(now_, next_);
    next_.clear();
  }
  // Leaves the activities of the lanes that do not show their state to the next step.
  void postpone(const LaneMask& late) {
    const auto now = now_.on_states(), next = next_.on_states();
    for (std::size_t activity = 0; activity < now.size(); ++activity) next[activity]->take(*now[activity], late);
  }
  // Whether no lane has anything to do, in this step or in the next.
  bool idle() const { return !now_.need_states() && !next_.need_states() && !now_.waiting.any(); }

 private:
  LaneActivities now_;
  LaneActivities next_;
};

}  // namespace gdl
