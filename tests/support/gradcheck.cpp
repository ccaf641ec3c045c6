#include "tests/support/gradcheck.h"

#include <torch/autograd.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/support/tensors.h"

namespace attend::test {
namespace {

constexpr double kStep = 1e-6;
constexpr double kSmallestScale = 1e-3;
constexpr uint64_t kProjectionSeed = 991;
constexpr int kDirections = 3;

double infinite_if_nan(double error) {
  return std::isnan(error) ? INFINITY : error;
}

class GradientCheck {
 public:
  GradientCheck(const TensorFunction& function, const std::vector<torch::Tensor>& leaves)
      : function_(function), leaves_(leaves) {
    const torch::Tensor output = function_();
    if (output.scalar_type() != torch::kFloat64)
      throw std::invalid_argument("the output is not float64");
    projection_ = random_f64(output.sizes(), kProjectionSeed);
    gradients_ = torch::autograd::grad({(output * projection_).sum()}, leaves_, {},
                                       /*retain_graph=*/false, /*create_graph=*/false,
                                       /*allow_unused=*/true);
  }

  /// Error of leaf `i`, element by element.
  double elementwise(std::size_t i) const {
    torch::Tensor expected = torch::empty_like(leaves_[i]).detach();
    for (int64_t k = 0; k < expected.numel(); ++k) {
      torch::Tensor unit = torch::zeros_like(expected);
      unit.view(-1)[k] = 1.0;
      expected.view(-1)[k] = slope(leaves_[i], unit);
    }
    const double scale = std::max(expected.abs().max().item<double>(), kSmallestScale);
    return infinite_if_nan((gradient(i) - expected).abs().max().item<double>() / scale);
  }

  /// Error of leaf `i` along random directions.
  double directional(std::size_t i) const {
    double worst = 0.0;
    for (int k = 0; k < kDirections; ++k) {
      const auto seed = static_cast<uint64_t>(k) + 17 * i;
      const torch::Tensor direction = random_f64(leaves_[i].sizes(), seed);
      const double expected = slope(leaves_[i], direction);
      const double actual = (gradient(i) * direction).sum().item<double>();
      const double error =
          std::abs(actual - expected) / std::max(std::abs(expected), kSmallestScale);
      worst = std::max(worst, infinite_if_nan(error));
    }
    return worst;
  }

 private:
  torch::Tensor gradient(std::size_t i) const {
    return gradients_[i].defined() ? gradients_[i] : torch::zeros_like(leaves_[i]).detach();
  }

  /// Central difference of the projected output along `direction`.
  double slope(torch::Tensor leaf, const torch::Tensor& direction) const {
    const torch::NoGradGuard no_grad;
    const torch::Tensor center = leaf.clone();
    leaf.copy_(center + kStep * direction);
    const double above = (function_() * projection_).sum().item<double>();
    leaf.copy_(center - kStep * direction);
    const double below = (function_() * projection_).sum().item<double>();
    leaf.copy_(center);
    return (above - below) / (2 * kStep);
  }

  const TensorFunction& function_;
  const std::vector<torch::Tensor>& leaves_;
  torch::Tensor projection_;
  std::vector<torch::Tensor> gradients_;
};

}  // namespace

double max_gradient_error(const TensorFunction& function,
                          const std::vector<torch::Tensor>& leaves) {
  const GradientCheck check(function, leaves);
  double worst = 0.0;
  for (std::size_t i = 0; i < leaves.size(); ++i) worst = std::max(worst, check.elementwise(i));
  return worst;
}

double max_directional_error(const TensorFunction& function,
                             const std::vector<torch::Tensor>& leaves) {
  const GradientCheck check(function, leaves);
  double worst = 0.0;
  for (std::size_t i = 0; i < leaves.size(); ++i) worst = std::max(worst, check.directional(i));
  return worst;
}

}  // namespace attend::test
