// Names the code of this translation unit after its instruction set, so that the linker never takes a function
// compiled for AVX-512 to run on a lesser processor. A file of one instruction set defines GDL_ISA first.
#pragma once

#ifndef GDL_ISA
#error "define GDL_ISA (baseline, avx2, avx512) before including the lane headers"
#endif

#define GDL_INLINE __attribute__((always_inline)) inline
