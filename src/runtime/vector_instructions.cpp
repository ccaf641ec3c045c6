#include "runtime/vector_instructions.h"

#include <ATen/Version.h>

#include <cstdlib>
#include <string_view>

namespace attend::runtime {

bool cpu_has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

void allow_avx512() {
  if (cpu_has_avx512()) setenv("ATEN_CPU_CAPABILITY", "avx512", /*overwrite=*/0);
}

std::string vector_instructions() {
  constexpr std::string_view kLabel = "CPU capability usage: ";
  const std::string config = at::show_config();
  const auto found = config.find(kLabel);
  if (found == std::string::npos) return "unknown";
  const auto begin = found + kLabel.size();
  return config.substr(begin, config.find_first_of("\n ", begin) - begin);
}

}  // namespace attend::runtime
