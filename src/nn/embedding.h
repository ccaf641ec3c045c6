#pragma once
#include "nn/indexed_rows.h"
#include "nn/parameters.h"

namespace attend::nn {

/// One vector per piece of the vocabulary.
class Embedding : public Block {
 public:
  Embedding(int64_t vocabulary, int64_t size);

  /// ids [...] int64 -> [..., E]. The gradient is a sparse tensor where gradient_in_place() is
  /// defined.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& ids) const;
  /// The same with the vector of each of the U words in `ids` once, by rising id: [U, E].
  [[nodiscard]] IndexedRows distinct(const torch::Tensor& ids) const;
  /// Normal with deviation 1 / sqrt(E), so that the matrix also serves as a tied output layer.
  void initialize(const at::Generator& generator) override;

  [[nodiscard]] const torch::Tensor& weight() const { return weight_; }  // [V, E]

 private:
  torch::Tensor weight_;
};

}  // namespace attend::nn
