#include "kernels/cpu/cpu_limit.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "kernels/cpu/instructions.h"

namespace attend::kernels {
namespace {

/// An environment variable and its value for each generation of instructions except the last.
struct Variable {
  const char* name;
  std::array<const char*, 6> values;  // baseline, avx2, avx2_vnni, avx512, avx512_vnni, avx512_bf16
};

constexpr std::array<Variable, 4> kVariables = {{
    {"ATEN_CPU_CAPABILITY", {"default", "avx2", "avx2", "avx512", "avx512", "avx512"}},
    {"ONEDNN_MAX_CPU_ISA",
     {"SSE41", "AVX2", "AVX2", "AVX512_CORE", "AVX512_CORE_VNNI", "AVX512_CORE_BF16"}},
    {"OPENBLAS_CORETYPE", {"Nehalem", "Haswell", "Haswell", "SkylakeX", "SkylakeX", "SkylakeX"}},
    {"MKL_ENABLE_INSTRUCTIONS", {"SSE4_2", "AVX2", "AVX2", "AVX512", "AVX512", "AVX512"}},
}};

/// Sets the variable. Returns true if its value changed.
bool set(const char* name, const char* value) {
  const char* const before = std::getenv(name);
  if (before != nullptr && std::string_view(before) == value) return false;
  setenv(name, value, /*overwrite=*/1);
  return true;
}

}  // namespace

void keep_libraries_to_allowed(char* const* arguments) {
  const Instructions in_use = instructions_in_use();
  if (in_use >= cpu_instructions()) return;
  bool changed = false;
  for (const Variable& variable : kVariables) {
    changed |= set(variable.name, variable.values.at(static_cast<std::size_t>(in_use)));
  }
  // If the restart fails, only OpenBLAS ignores the limit, which makes it faster, not wrong.
  if (changed) execv("/proc/self/exe", arguments);
}

}  // namespace attend::kernels
