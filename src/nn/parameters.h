#pragma once
#include <ATen/core/Generator.h>
#include <torch/nn/module.h>
#include <torch/types.h>

namespace attend::nn {

/// A block with parameters of its own. They are allocated by the constructor and filled by
/// initialize(), which the owner of the whole model calls once for every block with that block's
/// own generator.
class Block : public torch::nn::Module {
 public:
  virtual void initialize(const at::Generator& generator) = 0;
};

/// Glorot & Bengio (2010), Eq. 16: uniform in +-sqrt(6 / (fan_in + fan_out)), for each of the
/// `gates` blocks of rows of `weight` [gates * out, in] by itself.
void xavier_uniform(torch::Tensor weight, const at::Generator& generator, int64_t gates = 1);

/// Each of the `gates` blocks of rows of `weight` [gates * H, H] becomes a random orthogonal matrix
/// (Saxe, McClelland & Ganguli 2014).
void orthogonal(torch::Tensor weight, const at::Generator& generator, int64_t gates = 1);

/// Independent normal numbers with mean 0.
void normal(torch::Tensor weight, double deviation, const at::Generator& generator);

}  // namespace attend::nn
