// Whether a state holds a fluent that no state as close to the goal has held before (Lipovetzky & Geffner 2012).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gdl {

class Novelty {
 public:
  explicit Novelty(std::size_t words) : words_(words) {}

  // Notes a packed state at this distance and returns whether it is novel.
  bool note(const std::uint64_t* state, std::int32_t distance) {
    const auto place = static_cast<std::size_t>(std::min(distance, MOST_DISTANCES - 1)) * words_;
    if (seen_.size() < place + words_) seen_.resize(place + words_);
    std::uint64_t fresh = 0;
    for (std::size_t word = 0; word < words_; ++word) {
      fresh |= state[word] & ~seen_[place + word];
      seen_[place + word] |= state[word];
    }
    return fresh != 0;
  }

  void clear() { seen_.clear(); }

 private:
  static constexpr std::int32_t MOST_DISTANCES = 1024;  // larger distances count as one

  std::size_t words_;
  std::vector<std::uint64_t> seen_;  // [distance, word]
};

}  // namespace gdl
