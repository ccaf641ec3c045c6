#include "runtime/device_identity.h"

#include <torch/cuda.h>

#include <stdexcept>

#if defined(ATTEND_CUDA)
#include <ATen/cuda/CUDAContext.h>
#include <fmt/format.h>
#endif

namespace attend::runtime {

int64_t count_gpus() {
  return torch::cuda::is_available() ? static_cast<int64_t>(torch::cuda::device_count()) : 0;
}

DeviceIdentity identify(torch::Device device) {
  if (device.is_cpu()) return {"CPU", ""};
#if defined(ATTEND_CUDA)
  const cudaDeviceProp& properties = *at::cuda::getDeviceProperties(device.index());
  std::string id;
  for (const char byte : properties.uuid.bytes)
    id += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return {static_cast<const char*>(properties.name), id};
#else
  throw std::logic_error("identify: this program has no GPU code");
#endif
}

}  // namespace attend::runtime
