#include "nn/fused/device/where.h"

#if defined(ATTEND_CUDA)
#include <c10/cuda/CUDAStream.h>
#endif

namespace attend::nn::fused::device {

Where where(const torch::TensorOptions& options) {
  Where where{{}, options, kernels::Precision::full};
  where.place.is_cuda = options.device().is_cuda() && !kernels::device::gpu_is_simulated;
#if defined(ATTEND_CUDA)
  if (where.place.is_cuda) {
    where.place.stream = c10::cuda::getCurrentCUDAStream(options.device().index()).stream();
  }
#endif
  return where;
}

torch::Tensor moved(const std::vector<int64_t>& numbers, const torch::TensorOptions& options) {
  return torch::tensor(numbers, torch::kInt64).to(options.device(), /*non_blocking=*/true);
}

}  // namespace attend::nn::fused::device
