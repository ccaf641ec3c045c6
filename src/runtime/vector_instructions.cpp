#include "runtime/vector_instructions.h"

#include <ATen/Version.h>

#include <cstdlib>
#include <string_view>

#include "kernels/cpu/instructions.h"

namespace attend::runtime {

void allow_avx512() {
  if (kernels::instructions_in_use() < kernels::Instructions::avx512) return;
  setenv("ATEN_CPU_CAPABILITY", "avx512", /*overwrite=*/0);
}

std::string vector_instructions() {
  constexpr std::string_view kLabel = "CPU capability usage: ";
  const std::string config = at::show_config();
  const auto found = config.find(kLabel);
  if (found == std::string::npos) return "unknown";
  const auto begin = found + kLabel.size();
  return config.substr(begin, config.find_first_of("\n ", begin) - begin);
}

std::string kernel_instructions() {
  return std::string(kernels::name_of(kernels::instructions_in_use()));
}

}  // namespace attend::runtime
