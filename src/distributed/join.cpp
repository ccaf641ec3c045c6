#include "distributed/join.h"

#include "core/error.h"
#include "distributed/open_sums.h"
#include "distributed/store_group.h"

namespace attend::distributed {

bool is_available() {
  return true;
}

void check_available(torch::Device device) {
  if (device.is_cpu() || has_nccl()) return;
  throw UsageError(
      "this program was built without NCCL and trains on one GPU only; for several, build it with "
      "a LibTorch for CUDA and NVIDIA's NCCL");
}

bool has_fast_messages() {
  return has_gloo();
}

std::unique_ptr<Group> join(const Place& place) {
  return std::make_unique<StoreGroup>(place, open_sums);
}

}  // namespace attend::distributed
