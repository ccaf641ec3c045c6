#include "nn/execution.h"

#include <torch/utils.h>

#include "kernels/product/panels.h"

namespace attend::nn {

bool is_fusible(const torch::Tensor& x) {
  return execution().fused && x.is_cpu() &&
         (x.scalar_type() == torch::kFloat32 || x.scalar_type() == torch::kFloat64);
}

bool is_search(const torch::Tensor& x) {
  return is_fusible(x) && !torch::GradMode::is_enabled();
}

bool uses_bf16(const torch::Tensor& x) {
  return execution().bf16 && x.is_cpu() && x.scalar_type() == torch::kFloat32 &&
         kernels::has_panels(kernels::Precision::bf16);
}

torch::Tensor gradient_in_place(const torch::Tensor& parameter) {
  const GradientMemory* const memory = execution().gradients;
  if (memory == nullptr || !torch::GradMode::is_enabled() || !parameter.requires_grad() ||
      !parameter.storage().is_alias_of(memory->values.storage())) {
    return {};
  }
  return memory->gradients.as_strided(parameter.sizes(), parameter.strides(),
                                      parameter.storage_offset());
}

}  // namespace attend::nn
