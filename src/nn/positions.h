#pragma once
#include <torch/types.h>

namespace attend::nn {

/// Positions first ... first + steps - 1 of a sequence, counted from 0.
struct PositionRange {
  int64_t first = 0;
  int64_t steps = 0;
};

/// The angles t / 10000^(2i / size) of position t and pair i of features, [steps, ceil(size / 2)],
/// float64 on the device of `like`. Vaswani et al. (2017), arXiv 1706.03762, Sec. 3.5.
[[nodiscard]] torch::Tensor position_angles(PositionRange range, int64_t size,
                                            const torch::Tensor& like);

/// Sinusoidal position vectors [steps, size]: feature 2i is the sine and 2i + 1 the cosine of the
/// angle of pair i, position_angles().
[[nodiscard]] torch::Tensor sinusoids(PositionRange range, int64_t size, const torch::Tensor& like);

/// Rotary positions: rotates each pair of adjacent features by the angle of its position, so that
/// the dot product of two vectors depends only on the distance of their positions. Su et al.
/// (2021), arXiv 2104.09864, Eq. 15 and 34.
class Rotation {
 public:
  /// For vectors of `size` features. Requires: `size` is even.
  Rotation(PositionRange range, int64_t size, const torch::Tensor& like);

  /// x [N, steps, size] -> the same shape.
  [[nodiscard]] torch::Tensor rotated(const torch::Tensor& x) const;

 private:
  torch::Tensor cosines_;  // [steps, size / 2]
  torch::Tensor sines_;
};

}  // namespace attend::nn
