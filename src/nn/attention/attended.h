#pragma once
#include <torch/types.h>

#include "nn/attention/distribution/distribution.h"

namespace attend::nn {

/// State passed from one target position to the next. A value type: beam search selects its rows.
/// Tensors that the score does not read are undefined. With several heads, they are [N, heads, S].
struct AttentionState {
  torch::Tensor previous;  // [N, S] weights of the previous step
  torch::Tensor coverage;  // [N, S] sum of the weights so far

  [[nodiscard]] AttentionState select(const torch::Tensor& rows) const;
};

/// The result of an attention for its queries.
struct Attended {
  torch::Tensor context;  // [N, T, C] weighted sum of the values
  torch::Tensor weights;  // [N, T, S] before attention dropout, exactly 0 on padding; averaged over
                          // heads or features
  torch::Tensor heads;    // [N, heads, T, S]; undefined unless there are several
  AttentionState state;   // for the next target position
  DrawnPositions drawn;   // [N, T] each; undefined unless positions were drawn (`hard` in training)
};

}  // namespace attend::nn
