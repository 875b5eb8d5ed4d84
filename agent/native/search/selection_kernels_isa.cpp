// The kernels of one instruction set; compiled once for each.
#include "search/selection_loops.hpp"

namespace gdl::GDL_ISA {

const SelectionKernels& selection_kernels() { return SELECTION_KERNELS; }

}  // namespace gdl::GDL_ISA
