// Lanes for the instruction set in this file's name.
#define GDL_ISA baseline
#include "lane_factories.hpp"
#include "lanes.hpp"
#include "scoring_loops.hpp"
#include "selection_loops.hpp"

namespace gdl {

std::unique_ptr<LaneEngine> make_lanes_baseline(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                                int lanes) {
  return make_lanes<Vector128, Vector128, Vector128>(circuit, std::move(programs), lanes, "baseline");
}

const SelectionKernels& selection_kernels_baseline() { return SELECTION_KERNELS; }
const ScoringKernels& scoring_kernels_baseline() { return SCORING_KERNELS; }

}  // namespace gdl
