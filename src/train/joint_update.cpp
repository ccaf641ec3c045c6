#include "train/joint_update.h"

#include "distributed/shared_memory.h"
#include "train/gradient_exchange.h"
#include "train/shared_update.h"

namespace attend::train {
namespace {

using distributed::SharedMemory;
using distributed::Wire;

Wire wire_of(const TrainingOptions& options) {
  return options.distributed.precision == "bf16" ? Wire::bf16 : Wire::full;
}

/// Null: nothing is shared.
SharedMemory* memory_of(const TrainingOptions& options, torch::Device device,
                        const distributed::Communicator* peers) {
  const bool may = peers != nullptr && device.is_cpu() && wire_of(options) == Wire::full;
  return may ? peers->memory() : nullptr;
}

}  // namespace

SharedBuffers shared_buffers(const TrainingOptions& options, torch::Device device,
                             distributed::Communicator* peers) {
  SharedMemory* const memory = memory_of(options, device, peers);
  if (memory == nullptr) return {};
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
  if (memory_of(options, parameters.values().device(), &peers) != nullptr)
    return std::make_unique<SharedUpdate>(parameters, peers);
  return std::make_unique<GradientExchange>(parameters, peers, wire_of(options));
}

}  // namespace attend::train
