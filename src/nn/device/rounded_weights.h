#pragma once
#include <torch/types.h>

#include <unordered_map>
#include <vector>

namespace attend::nn {

/// Copies of a model's float weights in bf16, for matrix products on a GPU. The copies keep sizes,
/// strides and offsets, so a slice of a weight has the same slice of the copy.
class RoundedWeights {
 public:
  /// `memories` hold the weights: contiguous float tensors, each alone in its storage.
  explicit RoundedWeights(const std::vector<torch::Tensor>& memories);

  /// Rounds all weights again. Call it after they have changed.
  void refresh();

  /// `weight` in bf16, without gradient. Rounds it now if it is in none of the memories.
  [[nodiscard]] torch::Tensor of(const torch::Tensor& weight) const;

 private:
  struct Copy {
    torch::Tensor values;   // [P] float, the whole storage
    torch::Tensor rounded;  // [P] bf16
  };
  std::unordered_map<const void*, Copy> copies_;  // by storage
};

}  // namespace attend::nn
