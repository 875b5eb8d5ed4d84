// Memory for blocks of a few sizes, in chunks that never move; a block is named by a 32-bit handle.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hardware/page_source.hpp"

namespace gdl {

class BlockPool {
 public:
  using Handle = std::uint32_t;
  static constexpr Handle NO_BLOCK = 0xffffffffu;

  explicit BlockPool(PageSource& pages) : pages_(&pages) {}

  // Takes a block of at least `bytes` bytes, aligned to 16, with undefined contents. Larger blocks mostly begin with a
  // line of the cache.
  Handle take(std::size_t bytes) {
    const std::size_t units = units_of(bytes);
    used_ += units * UNIT;
    largest_ = std::max(units, largest_ - largest_ / 64);
    if (units > CHUNK_UNITS) return add_chunk(units);
    if (const auto found = smallest_free(units)) {
      const Handle handle = free_[found].back();
      free_[found].pop_back();
      if (free_[found].empty()) filled_[found / 64] &= ~(std::uint64_t{1} << found % 64);
      if (found > units) keep(handle + static_cast<Handle>(units), found - units);
      return handle;
    }
    if (units > 4 && fill_ % 4 != 0) {
      keep(current_ + static_cast<Handle>(fill_), 4 - fill_ % 4);
      fill_ += 4 - fill_ % 4;
    }
    if (fill_ + units > CHUNK_UNITS) {
      if (fill_ < CHUNK_UNITS) keep(current_ + static_cast<Handle>(fill_), CHUNK_UNITS - fill_);
      current_ = add_chunk(CHUNK_UNITS);
      fill_ = held_ > CHUNK_UNITS * UNIT ? 0 : pages_->stagger(MOST_STAGGERED) / UNIT;
    }
    const Handle handle = current_ + static_cast<Handle>(fill_);
    fill_ += units;
    return handle;
  }

  // Gives a block back; `bytes` is as in take().
  void give(Handle handle, std::size_t bytes) {
    const std::size_t units = units_of(bytes);
    used_ -= units * UNIT;
    if (units <= CHUNK_UNITS) {
      keep(handle, units);
      return;
    }
    auto& chunk = chunks_[handle / CHUNK_UNITS];
    held_ -= chunk.get_deleter().bytes;
    chunk.reset();
    emptied_.push_back(handle);
  }

  // Joins neighbours among the blocks given back, so that larger blocks can be taken.
  void merge() {
    struct FreeBlock {
      Handle handle;
      std::uint32_t units;
    };
    std::vector<FreeBlock> blocks;
    for (std::size_t units = 1; units < free_.size(); ++units) {
      for (const Handle handle : free_[units]) blocks.push_back({handle, static_cast<std::uint32_t>(units)});
      free_[units].clear();
      filled_[units / 64] &= ~(std::uint64_t{1} << units % 64);
    }
    std::sort(blocks.begin(), blocks.end(), [](const FreeBlock& a, const FreeBlock& b) { return a.handle < b.handle; });
    for (std::size_t first = 0, next = 0; first < blocks.size(); first = next) {
      std::uint32_t units = blocks[first].units;
      for (next = first + 1; next < blocks.size(); ++next) {
        const Handle end = blocks[first].handle + units;
        if (blocks[next].handle != end || end % CHUNK_UNITS == 0) break;
        units += blocks[next].units;
      }
      keep(blocks[first].handle, units);
    }
  }

  std::byte* at(Handle handle) const { return chunks_[handle / CHUNK_UNITS].get() + handle % CHUNK_UNITS * UNIT; }

  // Fetches the memory that at() reads.
  void prefetch() const { __builtin_prefetch(chunks_.data()); }

  // Bytes in the blocks that were taken and not given back.
  std::size_t used() const { return used_; }

  // Bytes in all chunks.
  std::size_t held() const { return held_; }

  // Whether the blocks given back have room for more, among them for one of the largest size taken lately.
  bool has_room() const {
    return held_ - used_ >= held_ / 32 && largest_ <= CHUNK_UNITS && smallest_free(largest_) != 0;
  }

  static constexpr std::size_t UNIT = 16;
  static constexpr std::size_t MOST_STAGGERED = 2048;  // bytes of the first chunk that may stay unused
  static constexpr std::size_t CHUNK_UNITS = (std::size_t{32} << 10) / UNIT;

 private:
  // The sizes of larger blocks are multiples of four units, so that blocks given back fit others.
  static std::size_t units_of(std::size_t bytes) {
    const std::size_t units = std::max<std::size_t>(1, (bytes + UNIT - 1) / UNIT);
    return units <= 4 ? units : (units + 3) / 4 * 4;
  }

  void keep(Handle handle, std::size_t units) {
    if (units >= free_.size()) {
      free_.resize(units + 1);
      filled_.resize(units / 64 + 1);
    }
    free_[units].push_back(handle);
    filled_[units / 64] |= std::uint64_t{1} << units % 64;
  }

  // The size, in units, of the smallest free block in which so many units fit; 0 where there is none.
  std::size_t smallest_free(std::size_t units) const {
    if (units >= free_.size()) return 0;
    if (!free_[units].empty()) return units;
    std::uint64_t rest = filled_[units / 64] & ~std::uint64_t{0} << units % 64;
    for (std::size_t word = units / 64;;) {
      if (rest != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
      if (++word == filled_.size()) return 0;
      rest = filled_[word];
    }
  }

  // A block of more than CHUNK_UNITS has a chunk of its own, which ends with it.
  Handle add_chunk(std::size_t units) {
    PageSource::Pages chunk = pages_->take(units * UNIT);
    held_ += chunk.get_deleter().bytes;
    if (emptied_.empty()) {
      emptied_.push_back(static_cast<Handle>(chunks_.size() * CHUNK_UNITS));
      chunks_.emplace_back();
    }
    const Handle handle = emptied_.back();
    emptied_.pop_back();
    chunks_[handle / CHUNK_UNITS] = std::move(chunk);
    return handle;
  }

  std::vector<PageSource::Pages> chunks_;  // the first member, because descents of a tree read it
  PageSource* pages_;
  std::vector<Handle> emptied_;            // handles of chunks that have ended
  std::vector<std::vector<Handle>> free_;  // [units]
  std::vector<std::uint64_t> filled_;      // bit u: free_[u] has blocks
  Handle current_ = 0;
  std::size_t fill_ = CHUNK_UNITS;  // units taken of the current chunk
  std::size_t used_ = 0;
  std::size_t held_ = 0;
  std::size_t largest_ = 0;  // units of the largest block taken lately
};

}  // namespace gdl
