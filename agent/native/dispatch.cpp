// Which instruction set runs: found when asked, never assumed.
#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "lane_factories.hpp"

namespace gdl {

std::vector<std::string> supported_instruction_sets() {
  std::vector<std::string> names;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("popcnt");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx512) names.emplace_back("avx512");
  if (avx2) names.emplace_back("avx2");
#endif
  names.emplace_back("baseline");
  return names;
}

namespace {

// Throws std::invalid_argument naming the supported ones.
void check_instruction_set(const std::string& name, const std::string& origin) {
  const std::vector<std::string> supported = supported_instruction_sets();
  if (std::find(supported.begin(), supported.end(), name) != supported.end()) return;
  std::string message = origin + "unknown or unsupported instruction set '" + name + "'; this processor has";
  for (const std::string& each : supported) message += " " + each;
  throw std::invalid_argument(message);
}

}  // namespace

std::string chosen_instruction_set() {
  const char* wanted = std::getenv("GDL_MINER_ISA");
  if (wanted == nullptr || *wanted == '\0') return supported_instruction_sets().front();
  check_instruction_set(wanted, "GDL_MINER_ISA: ");
  return wanted;
}

std::unique_ptr<LaneEngine> make_lane_engine(const Circuit& circuit, std::shared_ptr<const ProgramSet> programs,
                                             int lanes, const std::string& isa) {
  check_instruction_set(isa, "");
  if (lanes != 64 && lanes != 128 && lanes != 256 && lanes != 512) {
    throw std::invalid_argument("lanes must be 64, 128, 256 or 512, not " + std::to_string(lanes));
  }
#if defined(__x86_64__)
  if (isa == "avx512") return make_lanes_avx512(circuit, std::move(programs), lanes);
  if (isa == "avx2") return make_lanes_avx2(circuit, std::move(programs), lanes);
#endif
  return make_lanes_baseline(circuit, std::move(programs), lanes);
}

const SelectionKernels& selection_kernels(const std::string& isa) {
  check_instruction_set(isa, "");
#if defined(__x86_64__)
  if (isa == "avx512") return selection_kernels_avx512();
  if (isa == "avx2") return selection_kernels_avx2();
#endif
  return selection_kernels_baseline();
}

const ScoringKernels& scoring_kernels(const std::string& isa) {
  check_instruction_set(isa, "");
#if defined(__x86_64__)
  if (isa == "avx512") return scoring_kernels_avx512();
  if (isa == "avx2") return scoring_kernels_avx2();
#endif
  return scoring_kernels_baseline();
}

}  // namespace gdl
