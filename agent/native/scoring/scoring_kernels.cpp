#include "scoring/scoring_kernels.hpp"

#include <utility>

#include "hardware/instruction_set.hpp"

namespace gdl {

// The variants that scoring_kernels_isa.cpp defines.
#define GDL_DECLARE(isa)                   \
  namespace isa {                          \
  const ScoringKernels& scoring_kernels(); \
  }
GDL_EACH_INSTRUCTION_SET(GDL_DECLARE)

const ScoringKernels& scoring_kernels(const std::string& isa) {
  using FindScoringKernels = const ScoringKernels& (*)();
#define GDL_VARIANT(isa) {#isa, isa::scoring_kernels},
  static constexpr std::pair<std::string_view, FindScoringKernels> VARIANTS[] = {GDL_EACH_INSTRUCTION_SET(GDL_VARIANT)};
  return variant_for<FindScoringKernels>(isa, VARIANTS)();
}

}  // namespace gdl
