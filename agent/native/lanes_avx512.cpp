// Lanes for the instruction set in this file's name.
#define GDL_ISA avx512
#include "lane_factories.hpp"
#include "lanes.hpp"
#include "scoring_loops.hpp"
#include "selection_loops.hpp"

namespace gdl {

std::unique_ptr<LaneEngine> make_lanes_avx512(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                              int lanes) {
  return make_lanes<Vector128, Vector256, Vector512>(circuit, std::move(programs), lanes, "avx512");
}

const SelectionKernels& selection_kernels_avx512() { return SELECTION_KERNELS; }
const ScoringKernels& scoring_kernels_avx512() { return SCORING_KERNELS; }

}  // namespace gdl
