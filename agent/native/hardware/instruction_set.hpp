// The instruction set that runs; it is found when asked for, never assumed.
//
// Hot code is compiled once for each instruction set, in a namespace of its name (isa.hpp). The file that declares such
// code lists its variants with GDL_EACH_INSTRUCTION_SET and takes one with variant_for().
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The instruction sets of this build, the weakest first: apply(baseline) apply(avx2) apply(avx512).
#if defined(GDL_HAS_AVX2)
#define GDL_IF_AVX2(apply) apply(avx2)
#else
#define GDL_IF_AVX2(apply)
#endif
#if defined(GDL_HAS_AVX512)
#define GDL_IF_AVX512(apply) apply(avx512)
#else
#define GDL_IF_AVX512(apply)
#endif
#define GDL_EACH_INSTRUCTION_SET(apply) apply(baseline) GDL_IF_AVX2(apply) GDL_IF_AVX512(apply)

namespace gdl {

// The instruction sets that both this build and this processor have, best first: "avx512", "avx2", "baseline".
std::vector<std::string> supported_instruction_sets();

// The one that runs: the best, or the one that the environment variable GDL_MINER_ISA names. Throws
// std::invalid_argument for an unknown or unsupported name.
std::string chosen_instruction_set();

// Throws std::invalid_argument for an unsupported name; the message begins with `origin` and lists the supported ones.
void check_instruction_set(std::string_view name, std::string_view origin = "");

// The variant for an instruction set. Throws as check_instruction_set() does.
template <class Variant>
Variant variant_for(std::string_view isa, std::span<const std::pair<std::string_view, Variant>> variants) {
  check_instruction_set(isa);
  Variant found = variants.front().second;
  for (const auto& [name, variant] : variants) {
    if (name == isa) found = variant;
  }
  return found;
}

}  // namespace gdl
