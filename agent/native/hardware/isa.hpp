// Names the code of this translation unit after its instruction set, so that the linker never takes a function that was
// compiled for AVX-512 to run on a lesser processor. The build defines GDL_ISA where it compiles a file for one set.
#pragma once

#ifndef GDL_ISA
#error "this header is for files that the build compiles once for each instruction set"
#endif

#define GDL_INLINE __attribute__((always_inline)) inline

#define GDL_QUOTE(name) #name
#define GDL_NAME_OF(name) GDL_QUOTE(name)

namespace gdl::GDL_ISA {

inline constexpr const char* INSTRUCTION_SET = GDL_NAME_OF(GDL_ISA);

}  // namespace gdl::GDL_ISA
