#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "distributed/shared_memory.h"
#include "train/together/joint_update.h"
#include "train/update/flat_parameters.h"

namespace attend::train {

/// For processes that share memory. Each sums one part of the gradients over all processes, changes
/// that part of the parameters and writes it to the other processes. So nothing is computed twice,
/// and the optimiser's statistics exist once (Rajbhandari et al. 2020, ZeRO, stage 1).
class SharedUpdate final : public JointUpdate {
 public:
  /// Borrows the shared memory of `peers`. Requires: it holds the buffers of `parameters`.
  SharedUpdate(const FlatParameters& parameters, const distributed::Communicator& peers);

  void expect_last_pass() override {}
  void add_up(std::vector<double>& losses) override;
  [[nodiscard]] Part part() const override { return part_; }
  [[nodiscard]] double sum_over_parts(double value) override;
  void share() override;

 private:
  /// Another process' buffers, cut to this process' part.
  struct Other {
    torch::Tensor values;
    torch::Tensor gradients;
  };

  distributed::SharedMemory& memory_;
  Part part_;
  torch::Tensor values_;  // this process' buffers, cut to its part
  torch::Tensor gradients_;
  std::vector<Other> others_;
};

}  // namespace attend::train
