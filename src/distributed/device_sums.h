#pragma once
#include <torch/types.h>

#include <exception>
#include <memory>
#include <vector>

#include "distributed/device_collectives.h"
#include "distributed/sums.h"

namespace attend::distributed {

/// Sums of tensors that stay on their device.
///
/// Wire::full is the all_reduce() of the device. With Wire::bf16 each process receives one Nth of
/// the values from every other process, adds them in float by rank to its own unrounded ones,
/// rounds the sum to bf16 and sends it to all, as GlooSums does, with the same result.
class DeviceSums final : public Sums {
 public:
  explicit DeviceSums(std::unique_ptr<DeviceCollectives> collectives);

  void begin(const torch::Tensor& values, Wire wire) override;
  void finish() override;
  void take_from_first(const torch::Tensor& values) override;
  void abandon() noexcept override { collectives_->abandon(); }

 private:
  std::unique_ptr<DeviceCollectives> collectives_;
  std::vector<torch::Tensor> begun_;  // the device still uses their memory
  std::exception_ptr failure_;
};

}  // namespace attend::distributed
