#include "nn/execution.h"

#include <torch/utils.h>

#include "kernels/product/panels.h"

namespace attend::nn {

bool is_on_device(const torch::Tensor& x) {
  return execution().device_path || !x.is_cpu();
}

bool has_device_forms(const torch::Tensor& x) {
  return execution().fused && is_on_device(x);
}

bool is_fusible(const torch::Tensor& x) {
  return execution().fused && !is_on_device(x) &&
         (x.scalar_type() == torch::kFloat32 || x.scalar_type() == torch::kFloat64);
}

bool is_search(const torch::Tensor& x) {
  return is_fusible(x) && !torch::GradMode::is_enabled();
}

bool uses_bf16(const torch::Tensor& x) {
  return execution().bf16 && x.scalar_type() == torch::kFloat32 &&
         (is_on_device(x) || kernels::has_panels(kernels::Precision::bf16));
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
