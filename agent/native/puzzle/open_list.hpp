// States that wait for their expansion, in the order of a key; among equal keys the newest or a random one comes first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "random/draws.hpp"

namespace gdl {

class OpenList {
 public:
  static constexpr std::uint32_t LARGEST_KEY = (1u << 16) - 1;  // larger keys count as this one

  void push(std::uint32_t key, std::uint32_t id) {
    key = std::min(key, LARGEST_KEY);
    if (buckets_.empty()) buckets_.resize(LARGEST_KEY + 1);
    buckets_[key].push_back(id);
    filled_[key / 64] |= std::uint64_t{1} << (key % 64);
    lowest_word_ = std::min(lowest_word_, key / 64);
    ++size_;
  }

  bool empty() const { return size_ == 0; }
  // Vectors may have twice the room that they need.
  std::size_t bytes() const {
    return 2 * size_ * sizeof(std::uint32_t) + buckets_.size() * sizeof(std::vector<std::uint32_t>);
  }

  // Takes the newest element with the smallest key; there must be one. With `draws` it takes a random one of them.
  std::uint32_t pop(Draws* draws) {
    while (filled_[lowest_word_] == 0) ++lowest_word_;
    const std::size_t key = lowest_word_ * 64 + static_cast<std::size_t>(std::countr_zero(filled_[lowest_word_]));
    if (draws != nullptr) std::swap(buckets_[key].back(), buckets_[key][draws->below(buckets_[key].size())]);
    const std::uint32_t id = buckets_[key].back();
    buckets_[key].pop_back();
    if (buckets_[key].empty()) filled_[lowest_word_] &= filled_[lowest_word_] - 1;
    --size_;
    return id;
  }

  void clear() { *this = OpenList(); }

 private:
  std::vector<std::vector<std::uint32_t>> buckets_;                                         // [key]
  std::vector<std::uint64_t> filled_ = std::vector<std::uint64_t>((LARGEST_KEY + 1) / 64);  // bit: bucket is not empty
  std::uint32_t lowest_word_ = (LARGEST_KEY + 1) / 64 - 1;  // no word of filled_ before it has a bit
  std::size_t size_ = 0;
};

}  // namespace gdl
