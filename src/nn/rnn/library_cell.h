#pragma once
#include <torch/types.h>

namespace attend::nn {

/// A cell in the form of the recurrent layers of LibTorch and cuDNN (at::lstm, at::gru).
struct LibraryCell {
  enum class Kind { lstm, gru };
  Kind kind = Kind::lstm;
  torch::Tensor input_weight;      // [gates * H, I]: gates i f g o, or r z n
  torch::Tensor recurrent_weight;  // [gates * H, H]
  torch::Tensor input_bias;        // [gates * H]
  torch::Tensor recurrent_bias;    // [gates * H]
};

}  // namespace attend::nn
