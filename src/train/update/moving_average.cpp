#include "train/update/moving_average.h"

#include <torch/utils.h>

#include <algorithm>

namespace attend::train {

void update_moving_average(torch::Tensor average, const torch::Tensor& values, double decay,
                           int64_t update) {
  const torch::NoGradGuard no_grad;
  const auto count = static_cast<double>(update);
  average.lerp_(values, 1.0 - std::min(decay, (1.0 + count) / (10.0 + count)));
}

}  // namespace attend::train
