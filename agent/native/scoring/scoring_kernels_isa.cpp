// The kernels of one instruction set; compiled once for each.
#include "scoring/scoring_loops.hpp"

namespace gdl::GDL_ISA {

const ScoringKernels& scoring_kernels() { return SCORING_KERNELS; }

}  // namespace gdl::GDL_ISA
