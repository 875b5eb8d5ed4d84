// Memory for large arrays that are read at random places: in huge pages, so that few address translations cover it.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace gdl {

template <class T>
struct HugePages {
  using value_type = T;
  static constexpr std::size_t PAGE = std::size_t{2} << 20;

  HugePages() = default;
  template <class U>
  explicit HugePages(const HugePages<U>& /*other*/) {}

  T* allocate(std::size_t count) {
    const bool is_large = count * sizeof(T) >= PAGE;
    const std::size_t unit = is_large ? PAGE : alignof(std::max_align_t);
    const std::size_t bytes = (count * sizeof(T) + unit - 1) / unit * unit;
    void* data = std::aligned_alloc(unit, bytes);
    if (data == nullptr) throw std::bad_alloc();
    if (is_large) madvise(data, bytes, MADV_HUGEPAGE);  // only advice; nothing depends on it
    return static_cast<T*>(data);
  }
  void deallocate(T* data, std::size_t /*count*/) { std::free(data); }

  bool operator==(const HugePages& /*other*/) const { return true; }
};

}  // namespace gdl
