// The logistic function for one instruction set. The build compiles this file once for each.
#include <cstddef>

#include "arithmetic/logarithm.hpp"
#include "hardware/isa.hpp"

namespace gdl::GDL_ISA {

void find_logistic(double* values, std::size_t count);

void find_logistic(double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = logistic(values[i]);
}

}  // namespace gdl::GDL_ISA
