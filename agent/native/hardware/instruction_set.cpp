#include "hardware/instruction_set.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace gdl {

std::vector<std::string> supported_instruction_sets() {
  std::vector<std::string> names;
#if defined(__x86_64__)
  [[maybe_unused]] const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                                     __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#endif
#if defined(GDL_HAS_AVX512)
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx512) names.emplace_back("avx512");
#endif
#if defined(GDL_HAS_AVX2)
  if (avx2) names.emplace_back("avx2");
#endif
  names.emplace_back("baseline");
  return names;
}

void check_instruction_set(std::string_view name, std::string_view origin) {
  const std::vector<std::string> supported = supported_instruction_sets();
  if (std::find(supported.begin(), supported.end(), name) != supported.end()) return;
  std::string message(origin);
  message.append("unknown or unsupported instruction set '").append(name).append("'; this processor has");
  for (const std::string& each : supported) message += " " + each;
  throw std::invalid_argument(message);
}

std::string chosen_instruction_set() {
  const char* wanted = std::getenv("GDL_MINER_ISA");
  if (wanted == nullptr || *wanted == '\0') return supported_instruction_sets().front();
  check_instruction_set(wanted, "GDL_MINER_ISA: ");
  return wanted;
}

}  // namespace gdl

#if defined(GDL_PRINT_BEST)
// The build runs this file alone to learn which set it should compile.
#include <cstdio>

int main() { std::fputs(gdl::supported_instruction_sets().front().c_str(), stdout); }
#endif
