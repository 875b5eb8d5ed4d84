#include "search/selection_kernels.hpp"

#include <utility>

#include "hardware/instruction_set.hpp"

namespace gdl {

// The variants that selection_kernels_isa.cpp defines.
#define GDL_DECLARE(isa)                       \
  namespace isa {                              \
  const SelectionKernels& selection_kernels(); \
  }
GDL_EACH_INSTRUCTION_SET(GDL_DECLARE)

const SelectionKernels& selection_kernels(const std::string& isa) {
  using FindSelectionKernels = const SelectionKernels& (*)();
#define GDL_VARIANT(isa) {#isa, isa::selection_kernels},
  static constexpr std::pair<std::string_view, FindSelectionKernels> VARIANTS[] = {
      GDL_EACH_INSTRUCTION_SET(GDL_VARIANT)};
  return variant_for<FindSelectionKernels>(isa, VARIANTS)();
}

}  // namespace gdl
