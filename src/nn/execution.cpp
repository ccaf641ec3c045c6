#include "nn/execution.h"

#include <torch/utils.h>

#include "kernels/device/launch.h"
#include "kernels/product/panels.h"

namespace attend::nn {
namespace {

bool kernels_take(const torch::Tensor& x) {
  return execution().fused &&
         (x.scalar_type() == torch::kFloat32 || x.scalar_type() == torch::kFloat64);
}

}  // namespace

bool is_on_device(const torch::Tensor& x) {
  return execution().device_path || !x.is_cpu();
}

bool has_device_forms(const torch::Tensor& x) {
  return execution().fused && is_on_device(x);
}

bool is_fusible(const torch::Tensor& x) {
  return kernels_take(x) && !is_on_device(x);
}

bool runs_in_loop(const torch::Tensor& x) {
  if (!is_on_device(x)) return is_fusible(x);
  return kernels_take(x) && (x.is_cpu() || (x.is_cuda() && kernels::device::has_gpu_kernels()));
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
