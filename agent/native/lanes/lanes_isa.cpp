// The lanes of one instruction set; compiled once for each.
#include "lanes/lanes.hpp"

namespace gdl::GDL_ISA {

std::unique_ptr<LaneEngine> make_lanes(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, int lanes) {
#if defined(__AVX512VL__)
  return make_lanes<Vector128, Vector256, Vector512>(circuit, std::move(programs), lanes);
#elif defined(__AVX2__)
  return make_lanes<Vector128, Vector256, Vector256>(circuit, std::move(programs), lanes);
#else
  return make_lanes<Vector128, Vector128, Vector128>(circuit, std::move(programs), lanes);
#endif
}

}  // namespace gdl::GDL_ISA
