// An owning, aligned array of vectors, all zero at first.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "lanes/vector.hpp"

namespace gdl::GDL_ISA {

template <class V>
class VectorArray {
 public:
  explicit VectorArray(std::size_t size) : data_(allocate(size)), size_(size) {}

  V& operator[](std::size_t i) { return data_.get()[i]; }
  const V& operator[](std::size_t i) const { return data_.get()[i]; }
  V* data() { return data_.get(); }
  const V* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  char* bytes() { return reinterpret_cast<char*>(data_.get()); }

 private:
  struct FreeAligned {
    void operator()(V* data) const { std::free(data); }
  };

  static V* allocate(std::size_t size) {
    const std::size_t bytes = (size * sizeof(V) + 63) / 64 * 64;
    void* data = std::aligned_alloc(64, bytes == 0 ? 64 : bytes);
    if (data == nullptr) throw std::bad_alloc();
    std::memset(data, 0, bytes);
    return static_cast<V*>(data);
  }

  std::unique_ptr<V[], FreeAligned> data_;
  std::size_t size_;
};

}  // namespace gdl::GDL_ISA
