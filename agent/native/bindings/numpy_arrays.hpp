// Makes arrays for Python.
#pragma once

#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace gdl {

template <class Element, int Dimensions>
using NumpyArray = nanobind::ndarray<nanobind::numpy, Element, nanobind::ndim<Dimensions>>;

// A numpy array of this shape that owns the values.
template <int Dimensions, class Element>
NumpyArray<Element, Dimensions> to_numpy(std::vector<Element> values, std::initializer_list<std::size_t> shape) {
  auto* owned = new std::vector<Element>(std::move(values));
  const nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<Element>*>(p); });
  return NumpyArray<Element, Dimensions>(owned->data(), shape, owner);
}

template <class Element>
NumpyArray<Element, 1> to_numpy(std::vector<Element> values) {
  const std::size_t size = values.size();
  return to_numpy<1>(std::move(values), {size});
}

// The same as rows of so many columns each.
template <class Element>
NumpyArray<Element, 2> to_table(std::vector<Element> values, std::size_t columns) {
  const std::size_t rows = columns == 0 ? 0 : values.size() / columns;
  return to_numpy<2>(std::move(values), {rows, columns});
}

}  // namespace gdl
