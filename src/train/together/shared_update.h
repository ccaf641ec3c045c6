#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "distributed/shared_memory.h"
#include "train/together/joint_update.h"
#include "train/update/flat_parameters.h"

namespace attend::train {

/// By processes that share memory: each adds up one part of the gradients of all, changes that part
/// of the parameters and writes it to the others. So nothing is computed twice, and the optimiser's
/// statistics are there once (Rajbhandari et al. 2020, ZeRO, stage 1).
class SharedUpdate final : public JointUpdate {
 public:
  /// Borrows the memory. Requires: it made the buffers of `parameters`.
  SharedUpdate(const FlatParameters& parameters, const distributed::Communicator& peers);

  void expect_last_pass() override {}
  void add_up(std::vector<double>& losses) override;
  [[nodiscard]] Part part() const override { return part_; }
  [[nodiscard]] double over_parts(double value) override;
  void share() override;

 private:
  /// Of another process, as far as this one changes it.
  struct Other {
    torch::Tensor values;
    torch::Tensor gradients;
  };

  distributed::SharedMemory& memory_;
  Part part_;
  torch::Tensor values_;     // of this process, in its part
  torch::Tensor gradients_;  // likewise
  std::vector<Other> others_;
};

}  // namespace attend::train
