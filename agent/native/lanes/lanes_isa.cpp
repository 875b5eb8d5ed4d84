// The lanes of one instruction set; compiled once for each.
#include <type_traits>

#include "lanes/environment_lanes.hpp"
#include "lanes/lanes.hpp"

namespace gdl::GDL_ISA {

#if defined(__AVX512VL__)
constexpr int WIDEST = 512;
#elif defined(__AVX2__)
constexpr int WIDEST = 256;
#else
constexpr int WIDEST = 128;
#endif

// The vectors that lanes come in.
using Narrow = Vector128;
using Middle = std::conditional_t<WIDEST >= 256, Vector256, Vector128>;
using Wide = std::conditional_t<WIDEST == 512, Vector512, Middle>;

std::unique_ptr<LaneEngine> make_lanes(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs, int lanes) {
  return make_lanes<Narrow, Middle, Wide>(circuit, std::move(programs), lanes);
}

std::unique_ptr<Environments> make_environments(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                                EnvironmentOptions options) {
  return make_environments<Narrow, Middle, Wide>(circuit, std::move(programs), std::move(options));
}

}  // namespace gdl::GDL_ISA
