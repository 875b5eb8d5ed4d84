// Arrays that cross the border to Python.
#pragma once

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gdl {

// A contiguous array of exactly this element type, for reading.
template <class T>
using Array = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

using StateArray = nanobind::ndarray<nanobind::numpy, std::uint64_t, nanobind::ndim<1>>;
using RowArray = nanobind::ndarray<nanobind::numpy, std::int32_t, nanobind::ndim<1>>;

// A numpy array that owns a copy of the values.
template <class A, class T>
A to_numpy(const std::vector<T>& values) {
  T* data = new T[values.size()];
  std::copy(values.begin(), values.end(), data);
  const nanobind::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return A(data, {values.size()}, owner);
}

}  // namespace gdl
