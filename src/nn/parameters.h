#pragma once
#include <ATen/core/Generator.h>
#include <torch/nn/module.h>
#include <torch/types.h>

namespace attend::nn {

/// A block with its own parameters. The constructor allocates them, and initialize() fills them.
/// The owner of the model calls initialize() once per block, with a separate generator for each.
class Block : public torch::nn::Module {
 public:
  virtual void initialize(const at::Generator& generator) = 0;
};

/// Glorot & Bengio (2010), Eq. 16: uniform in +-sqrt(6 / (fan_in + fan_out)), separately for each
/// of the `gates` blocks of rows of `weight` [gates * out, in].
void xavier_uniform(const torch::Tensor& weight, const at::Generator& generator, int64_t gates = 1);

/// Sets each of the `gates` blocks of rows of `weight` [gates * H, H] to a random orthogonal matrix
/// (Saxe, McClelland & Ganguli 2014).
void orthogonal(const torch::Tensor& weight, const at::Generator& generator, int64_t gates = 1);

/// Sets `weight` to independent normal numbers with mean 0.
void normal(const torch::Tensor& weight, double deviation, const at::Generator& generator);

}  // namespace attend::nn
