#include "tests/support/tensors.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/utils.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace attend::test {
namespace {

std::string describe(const torch::Tensor& actual, const torch::Tensor& expected) {
  std::ostringstream text;
  text << "\nactual:\n" << actual << "\nexpected:\n" << expected;
  return text.str();
}

}  // namespace

torch::Tensor random_f64(torch::IntArrayRef sizes, uint64_t seed) {
  const torch::NoGradGuard no_grad;
  return torch::empty(sizes, torch::kFloat64)
      .normal_(0.0, 1.0, at::detail::createCPUGenerator(seed));
}

torch::Tensor f64(const std::vector<double>& values, torch::IntArrayRef sizes) {
  return torch::tensor(values, torch::kFloat64).view(sizes);
}

void randomize(torch::nn::Module& module, uint64_t seed) {
  module.to(torch::kFloat64);
  const torch::NoGradGuard no_grad;
  const at::Generator generator = at::detail::createCPUGenerator(seed);
  for (torch::Tensor& values : module.parameters()) values.normal_(0.0, 0.5, generator);
}

torch::Tensor parameter(const torch::nn::Module& module, const std::string& name) {
  const auto parameters = module.named_parameters();
  const torch::Tensor* found = parameters.find(name);
  if (found == nullptr) throw std::out_of_range("no parameter " + name);
  return *found;
}

void set_parameter(const torch::nn::Module& module, const std::string& name,
                   const torch::Tensor& values) {
  const torch::NoGradGuard no_grad;
  torch::Tensor target = parameter(module, name);
  if (target.sizes() != values.sizes()) throw std::invalid_argument("the shapes differ: " + name);
  target.copy_(values);
}

std::vector<torch::Tensor> leaves(const torch::nn::Module& module,
                                  const std::vector<torch::Tensor>& inputs) {
  std::vector<torch::Tensor> all = module.parameters();
  for (torch::Tensor input : inputs) all.push_back(input.requires_grad_(true));
  return all;
}

std::vector<std::string> parameter_names(const torch::nn::Module& module) {
  std::vector<std::string> names;
  for (const auto& item : module.named_parameters()) names.push_back(item.key());
  std::sort(names.begin(), names.end());
  return names;
}

torch::Tensor mask_of(const torch::Tensor& lengths, int64_t steps) {
  return torch::arange(steps).unsqueeze(0) < lengths.unsqueeze(1);
}

bool near(const torch::Tensor& actual, const torch::Tensor& expected, double tolerance,
          std::string& why) {
  if (!actual.defined() || !expected.defined()) {
    why = actual.defined() ? "expected is undefined" : "actual is undefined";
    return actual.defined() == expected.defined();
  }
  const torch::NoGradGuard no_grad;
  if (actual.sizes() != expected.sizes()) {
    why = describe(actual, expected);
    return false;
  }
  if (actual.numel() == 0) return true;
  const double distance =
      (actual.to(torch::kFloat64) - expected.to(torch::kFloat64)).abs().max().item<double>();
  if (distance <= tolerance) return true;  // false for NaN
  why = "differs by " + std::to_string(distance) + describe(actual, expected);
  return false;
}

}  // namespace attend::test
