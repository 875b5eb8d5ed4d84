// The lane engine of every instruction set; dispatch.cpp calls one that the processor has.
#pragma once

#include <memory>

#include "lane_engine.hpp"

namespace gdl {

std::unique_ptr<LaneEngine> make_lanes_baseline(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                                int lanes);
std::unique_ptr<LaneEngine> make_lanes_avx2(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                            int lanes);
std::unique_ptr<LaneEngine> make_lanes_avx512(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                              int lanes);

}  // namespace gdl
