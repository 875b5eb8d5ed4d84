// Reads values that come from Python, by their attributes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace gdl {

// A contiguous array of exactly this element type, for reading.
template <class Element, int Dimensions = 1>
using Array = nanobind::ndarray<const Element, nanobind::ndim<Dimensions>, nanobind::c_contig, nanobind::device::cpu>;

// An attribute of a value that is trusted to have it.
template <class Value>
Value read(nanobind::handle object, const char* attribute) {
  return nanobind::cast<Value>(object.attr(attribute));
}

// The attributes of a value that may be anything. An attribute that is missing or of another kind raises ValueError,
// which names the value and the attribute and says what was expected.
class Attributes {
 public:
  Attributes(nanobind::handle value, const char* name) : value_(value), name_(name) {}

  bool has(const char* attribute) const { return nanobind::hasattr(value_, attribute); }
  // An integer from 0 to `limit`.
  std::int64_t integer(const char* attribute, std::int64_t limit = INT32_MAX) const;
  // A contiguous array of one dimension and exactly this element type.
  template <class Element>
  std::vector<Element> elements(const char* attribute) const {
    const auto source = array<Array<Element>>(attribute, element_name<Element>());
    return {source.data(), source.data() + source.size()};
  }
  // A contiguous array of the type of `ArrayType`, which `expected` describes.
  template <class ArrayType>
  ArrayType array(const char* attribute, const std::string& expected) const {
    constexpr bool CONVERT = false;
    ArrayType array;
    if (!nanobind::try_cast<ArrayType>(get(attribute), array, CONVERT)) {
      refuse(std::string(attribute) + " must be a contiguous array of " + expected);
    }
    return array;
  }
  // Throws ValueError with the name of the value before the text.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  template <class Element>
  static std::string element_name() {
    return (std::is_signed_v<Element> ? "int" : "uint") + std::to_string(8 * sizeof(Element));
  }
  nanobind::object get(const char* attribute) const;

  nanobind::handle value_;
  const char* name_;
};

}  // namespace gdl
