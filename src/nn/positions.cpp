#include "nn/positions.h"

#include <cmath>

namespace attend::nn {

torch::Tensor position_angles(PositionRange range, int64_t size, const torch::Tensor& like) {
  // float64 keeps the sines exact far along a sequence.
  const auto options = like.options().dtype(torch::kFloat64).requires_grad(false);
  const torch::Tensor places = torch::arange(range.first, range.first + range.steps, options);
  const torch::Tensor pairs = torch::arange((size + 1) / 2, options);
  const torch::Tensor frequencies =
      (pairs * (-2.0 * std::log(10000.0) / static_cast<double>(size))).exp();
  return at::outer(places, frequencies);
}

torch::Tensor sinusoids(PositionRange range, int64_t size, const torch::Tensor& like) {
  const torch::Tensor angles = position_angles(range, size, like);
  return at::stack({angles.sin(), angles.cos()}, 2)
      .flatten(1)
      .narrow(1, 0, size)
      .to(like.scalar_type());
}

Rotation::Rotation(PositionRange range, int64_t size, const torch::Tensor& like) {
  const torch::Tensor angles = position_angles(range, size, like);
  cosines_ = angles.cos().to(like.scalar_type());
  sines_ = angles.sin().to(like.scalar_type());
}

torch::Tensor Rotation::rotated(const torch::Tensor& x) const {
  const torch::Tensor pairs = x.unflatten(-1, {x.size(-1) / 2, 2});
  const torch::Tensor even = pairs.select(-1, 0), odd = pairs.select(-1, 1);
  return at::stack({even * cosines_ - odd * sines_, odd * cosines_ + even * sines_}, -1)
      .flatten(-2);
}

}  // namespace attend::nn
