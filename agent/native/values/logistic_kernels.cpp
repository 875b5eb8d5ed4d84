#include "values/logistic_kernels.hpp"

#include <utility>

#include "hardware/instruction_set.hpp"

namespace gdl {

// The variants that logistic_kernels_isa.cpp defines.
#define GDL_DECLARE(isa)                                 \
  namespace isa {                                        \
  void find_logistic(double* values, std::size_t count); \
  }
GDL_EACH_INSTRUCTION_SET(GDL_DECLARE)

LogisticKernel logistic_kernel(const std::string& isa) {
#define GDL_VARIANT(isa) {#isa, isa::find_logistic},
  static constexpr std::pair<std::string_view, LogisticKernel> VARIANTS[] = {GDL_EACH_INSTRUCTION_SET(GDL_VARIANT)};
  return variant_for<LogisticKernel>(isa, VARIANTS);
}

}  // namespace gdl
