// Memory of trees: pieces of 8 KiB times a power of two, cut from huge pages. The next tree takes the pieces that one
// tree gives back; their pages are there already, and the processor's tables know them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "hardware/prefetch.hpp"

namespace gdl {

// It is not for several threads at once, and must outlive the pages that it gave.
class PageSource {
 public:
  static constexpr std::size_t PIECE = std::size_t{8} << 10;
  static constexpr std::size_t REGION = std::size_t{2} << 20;  // a huge page

  struct Return {
    PageSource* source = nullptr;
    std::size_t bytes = 0;
    void operator()(std::byte* pages) const { source->give(pages, bytes); }
  };
  using Pages = std::unique_ptr<std::byte[], Return>;

  PageSource() = default;
  PageSource(PageSource&&) = delete;
  ~PageSource() {
    for (std::byte* region : regions_) release(region);
  }

  // Takes at least `bytes` bytes, aligned to PIECE, with undefined contents.
  Pages take(std::size_t bytes) {
    if (bytes > REGION) return {allocate(bytes), {this, bytes}};
    const std::size_t wanted = size_class(bytes);
    std::size_t found = wanted;
    while (found < free_.size() && free_[found].empty()) ++found;
    if (found == free_.size()) {
      found = free_.size() - 1;
      regions_.push_back(allocate(REGION));
      free_[found].push_back(regions_.back());
    }
    std::byte* pages = free_[found].back();
    free_[found].pop_back();
    while (found > wanted) {
      --found;
      free_[found].push_back(pages + (PIECE << found));
    }
    return {pages, {this, PIECE << wanted}};
  }

  // A whole number of cache lines, at most `most` bytes, mostly another number each time. Trees that began at the same
  // place of their pages would have their roots, which are read together, in the same few lines of the cache.
  std::size_t stagger(std::size_t most) {
    staggered_ += 5;
    return staggered_ % (most / CACHE_LINE + 1) * CACHE_LINE;
  }

 private:
  static std::size_t size_class(std::size_t bytes) {
    return static_cast<std::size_t>(std::countr_zero(std::bit_ceil((bytes + PIECE - 1) / PIECE)));
  }

  void give(std::byte* pages, std::size_t bytes) {
    if (bytes > REGION) {
      release(pages);
    } else {
      free_[size_class(bytes)].push_back(pages);
    }
  }

  static std::byte* allocate(std::size_t bytes) {
    auto* pages = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{REGION}));
#ifdef __linux__
    if (bytes == REGION) madvise(pages, REGION, MADV_HUGEPAGE);  // only advice; nothing depends on it
#endif
    return pages;
  }
  static void release(std::byte* pages) { ::operator delete(pages, std::align_val_t{REGION}); }

  static constexpr std::size_t CLASSES = std::countr_zero(REGION / PIECE) + 1;

  std::size_t staggered_ = 0;
  std::vector<std::byte*> regions_;
  std::array<std::vector<std::byte*>, CLASSES> free_;  // pieces of PIECE << class bytes
};

}  // namespace gdl
