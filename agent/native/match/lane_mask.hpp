// A set of lanes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace gdl {

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

}  // namespace gdl
