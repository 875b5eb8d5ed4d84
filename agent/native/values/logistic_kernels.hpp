// The logistic function of many numbers at once, for every instruction set. All give the bits of logistic().
#pragma once

#include <cstddef>
#include <string>

namespace gdl {

// values [count] become their logistic function.
using LogisticKernel = void (*)(double* values, std::size_t count);

// Throws the exceptions of check_instruction_set().
LogisticKernel logistic_kernel(const std::string& isa);

}  // namespace gdl
