#include "nn/device/copies.h"

namespace attend::nn::device {

torch::Tensor sent(const torch::Tensor& host, const torch::Device& device) {
  if (device.is_cpu()) return host;
  return host.pin_memory().to(device, /*non_blocking=*/true);
}

}  // namespace attend::nn::device
