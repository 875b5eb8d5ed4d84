// What every instruction set has of its own; dispatch.cpp calls one that the processor has.
#pragma once

#include <memory>

#include "lane_engine.hpp"
#include "scoring_kernels.hpp"
#include "selection_kernels.hpp"

namespace gdl {

std::unique_ptr<LaneEngine> make_lanes_baseline(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                                int lanes);
std::unique_ptr<LaneEngine> make_lanes_avx2(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                            int lanes);
std::unique_ptr<LaneEngine> make_lanes_avx512(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                              int lanes);

const SelectionKernels& selection_kernels_baseline();
const ScoringKernels& scoring_kernels_baseline();
const SelectionKernels& selection_kernels_avx2();
const ScoringKernels& scoring_kernels_avx2();
const SelectionKernels& selection_kernels_avx512();
const ScoringKernels& scoring_kernels_avx512();

}  // namespace gdl
