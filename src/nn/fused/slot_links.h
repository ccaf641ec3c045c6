#pragma once
#include <torch/types.h>

namespace attend::nn::fused {

/// A step of the order in which M slots were written, by kernels::SlotLinks: float or double on the
/// CPU.
struct SlotWrite {
  torch::Tensor before;      // [N, M, M] L'
  torch::Tensor weights;     // [N, M] of this write
  torch::Tensor precedence;  // [N, M] of the writes before
};

struct LinkedSlots {
  torch::Tensor links;  // [N, M, M] L
  torch::Tensor on;     // [N, R, M] L r for each of R heads
  torch::Tensor back;   // [N, R, M] L^T r
};

/// `reads` [N, R, M]: where heads read before.
[[nodiscard]] LinkedSlots slot_links(const SlotWrite& write, const torch::Tensor& reads);

}  // namespace attend::nn::fused
