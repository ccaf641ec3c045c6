#pragma once
#include <string>

namespace attend::runtime {

/// Lets LibTorch's kernels use AVX-512 if ours do. LibTorch 1.13 stays at AVX2 unless
/// ATEN_CPU_CAPABILITY says otherwise. Keeps a value set by the user. Requires: no tensor operation
/// has run yet.
void allow_avx512();

/// The instructions that LibTorch reports: "AVX2", "AVX512", ...
[[nodiscard]] std::string vector_instructions();

/// The instructions that our own kernels use: "avx2", "avx512_vnni", ...
[[nodiscard]] std::string kernel_instructions();

}  // namespace attend::runtime
