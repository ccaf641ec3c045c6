#include "train/together/joint_update.h"

#include "distributed/shared_memory.h"
#include "train/together/gradient_exchange.h"
#include "train/together/shared_update.h"

namespace attend::train {
namespace {

using distributed::SharedMemory;
using distributed::Wire;

Wire wire_of(const TrainingOptions& options) {
  return options.distributed.precision == GradientPrecision::bf16 ? Wire::bf16 : Wire::full;
}

}  // namespace

bool share_memory(const TrainingOptions& options, torch::Device device,
                  const distributed::Communicator* peers) {
  return peers != nullptr && device.is_cpu() && wire_of(options) == Wire::full &&
         peers->memory() != nullptr;
}

SharedBuffers shared_buffers(const TrainingOptions& options, torch::Device device,
                             distributed::Communicator* peers) {
  if (!share_memory(options, device, peers)) return {};
  SharedMemory* const memory = peers->memory();
  const MakeZeros own = [memory](int64_t size, const torch::TensorOptions& type) {
    return memory->zeros(size, type.dtype().toScalarType());
  };
  const MakeZeros common = [memory, own](int64_t size, const torch::TensorOptions& type) {
    return memory->of(0, own(size, type));
  };
  return {own, common};
}

std::unique_ptr<JointUpdate> make_joint_update(const FlatParameters& parameters,
                                               const TrainingOptions& options,
                                               distributed::Communicator& peers) {
  if (share_memory(options, parameters.values().device(), &peers))
    return std::make_unique<SharedUpdate>(parameters, peers);
  return std::make_unique<GradientExchange>(parameters, peers, wire_of(options));
}

}  // namespace attend::train
