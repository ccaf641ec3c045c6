#pragma once
// Tensors for tests: reproducible numbers, modules with known parameters, and matchers that print
// both tensors.
#include <gmock/gmock.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace attend::test {

/// Standard normal numbers in float64, the same for the same seed.
[[nodiscard]] torch::Tensor random_f64(torch::IntArrayRef sizes, uint64_t seed);

/// A float64 tensor of `values`, row by row.
[[nodiscard]] torch::Tensor f64(const std::vector<double>& values, torch::IntArrayRef sizes);

/// Converts `module` to float64 and fills every parameter, including biases and gains, with normal
/// numbers of standard deviation 1/2, so that no term of a formula vanishes.
void randomize(torch::nn::Module& module, uint64_t seed);

/// The parameter of that name. Fails with std::out_of_range if there is none.
[[nodiscard]] torch::Tensor parameter(const torch::nn::Module& module, const std::string& name);

/// Copies `values` into the parameter of that name.
void set_parameter(const torch::nn::Module& module, const std::string& name,
                   const torch::Tensor& values);

/// All parameters of `module`, then `inputs`. Sets requires_grad on each.
[[nodiscard]] std::vector<torch::Tensor> leaves(const torch::nn::Module& module,
                                                const std::vector<torch::Tensor>& inputs = {});

/// The names of all parameters, sorted.
[[nodiscard]] std::vector<std::string> parameter_names(const torch::nn::Module& module);

/// Converts `lengths` [N] to a mask [N, steps]: true where the position is below the length.
[[nodiscard]] torch::Tensor mask_of(const torch::Tensor& lengths, int64_t steps);

/// True if the shapes are equal and no element differs by more than `tolerance`; NaN never matches.
/// Otherwise sets `why` to the reason.
[[nodiscard]] bool near(const torch::Tensor& actual, const torch::Tensor& expected,
                        double tolerance, std::string& why);

/// Matches a tensor of equal shape whose elements are within an absolute tolerance.
MATCHER_P2(TensorNear, expected, tolerance, "is near the expected tensor") {
  std::string why;
  if (near(arg, expected, tolerance, why)) return true;
  *result_listener << why;
  return false;
}

/// Matches a tensor of equal shape and equal elements.
MATCHER_P(TensorEq, expected, "equals the expected tensor") {
  std::string why;
  if (near(arg, expected, 0.0, why)) return true;
  *result_listener << why;
  return false;
}

}  // namespace attend::test
