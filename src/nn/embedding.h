#pragma once
#include "nn/indexed_rows.h"
#include "nn/parameters.h"

namespace attend::nn {

/// One vector for each piece of the vocabulary.
class Embedding : public Block {
 public:
  Embedding(int64_t vocabulary, int64_t size);

  /// ids [...] int64 -> [..., E]. On the CPU the gradient is a sparse tensor if gradient_in_place()
  /// is defined.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& ids) const;
  /// forward() with one row for each of the U distinct ids, in rising order: [U, E].
  [[nodiscard]] IndexedRows distinct(const torch::Tensor& ids) const;
  /// Normal numbers with standard deviation 1 / sqrt(E), which also suits a tied output layer.
  void initialize(const at::Generator& generator) override;

  [[nodiscard]] const torch::Tensor& weight() const { return weight_; }  // [V, E]

 private:
  torch::Tensor weight_;
};

}  // namespace attend::nn
