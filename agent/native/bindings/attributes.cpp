#include "bindings/attributes.hpp"

namespace nb = nanobind;

namespace gdl {

std::int64_t Attributes::integer(const char* attribute, std::int64_t limit) const {
  std::int64_t integer = -1;
  if (!nb::try_cast<std::int64_t>(get(attribute), integer) || integer < 0 || integer > limit) {
    refuse(std::string(attribute) + " must be an integer from 0 to " + std::to_string(limit));
  }
  return integer;
}

void Attributes::refuse(const std::string& what) const {
  throw nb::value_error((std::string(name_) + ": " + what).c_str());
}

nb::object Attributes::get(const char* attribute) const {
  if (!has(attribute)) refuse(std::string("no attribute ") + attribute);
  return value_.attr(attribute);
}

}  // namespace gdl
