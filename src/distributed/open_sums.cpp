#include "distributed/open_sums.h"

#include <stdexcept>
#include <string>

#include "distributed/device_sums.h"
#if defined(ATTEND_GLOO)
#include "distributed/gloo_sums.h"
#else
#include "distributed/store_collectives.h"
#endif
#if defined(ATTEND_NCCL)
#include "distributed/nccl_collectives.h"
#endif

namespace attend::distributed {
namespace {

std::unique_ptr<Sums> open_sums_of_cpu(const Links& links) {
#if defined(ATTEND_GLOO)
  return std::make_unique<GlooSums>(links);
#else
  return std::make_unique<DeviceSums>(std::make_unique<StoreCollectives>(links));
#endif
}

std::unique_ptr<Sums> open_sums_of_gpu(torch::Device device, const Links& links) {
#if defined(ATTEND_NCCL)
  return std::make_unique<DeviceSums>(open_nccl(device, links));
#else
  static_cast<void>(links);
  throw std::logic_error("open_sums: no NCCL for " + device.str());
#endif
}

}  // namespace

bool has_gloo() {
#if defined(ATTEND_GLOO)
  return true;
#else
  return false;
#endif
}

bool has_nccl() {
#if defined(ATTEND_NCCL)
  return true;
#else
  return false;
#endif
}

std::unique_ptr<Sums> open_sums(torch::Device device, const Links& links) {
  return device.is_cpu() ? open_sums_of_cpu(links) : open_sums_of_gpu(device, links);
}

}  // namespace attend::distributed
