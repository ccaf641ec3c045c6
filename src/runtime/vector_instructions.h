#pragma once
#include <string>

namespace attend::runtime {

/// Whether this CPU has the AVX-512 instructions that LibTorch and OpenBLAS use.
[[nodiscard]] bool cpu_has_avx512();

/// Lets LibTorch's own kernels use AVX-512 where the CPU has it: version 1.13 stays at AVX2 unless
/// ATEN_CPU_CAPABILITY says otherwise. A value that the user set stays. Requires: no tensor
/// operation has run yet.
void allow_avx512();

/// What LibTorch reports to use: "AVX2", "AVX512", ...
[[nodiscard]] std::string vector_instructions();

}  // namespace attend::runtime
