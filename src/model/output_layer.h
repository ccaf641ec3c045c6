#pragma once
#include <memory>

#include "nn/embedding.h"
#include "nn/linear.h"
#include "nn/loss.h"
#include "nn/own_columns.h"
#include "nn/packed_weights.h"

namespace attend::model {

/// What scores some of the vocabulary: the rows of an output layer for U of its words, of which
/// each state is scored by its own alone.
struct OutputRows {
  torch::Tensor weight;                                 // [U, D], or [U, E] if tied
  torch::Tensor bias;                                   // [U]
  std::unique_ptr<const kernels::PackedWeight> packed;  // of narrow types; else null
  nn::OwnColumns own;                                   // of U, for each of N states
};

/// Pre-output states to scores over the vocabulary: W x + b. Tied, W is the target embedding (Press
/// & Wolf 2017), behind a projection of the state where the sizes differ.
class OutputLayer : public nn::Block {
 public:
  /// A matrix of its own.
  OutputLayer(int64_t size, int64_t vocabulary);
  /// Tied to `embedding`, which belongs to somebody else.
  OutputLayer(int64_t size, std::shared_ptr<nn::Embedding> embedding);

  /// x [..., D] -> [..., V], not normalised.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& x) const;
  /// Its rows for the words `ids` [U] int64, as the present ExecutionScope computes with them.
  [[nodiscard]] OutputRows rows(const torch::Tensor& ids, nn::OwnColumns own) const;
  /// x [N, D] -> [N, W]: of forward(x) the columns of each state's own words.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& x, const OutputRows& rows) const;
  /// Cross-entropy of its scores for x [N, D] against targets [N]; see nn::cross_entropy().
  [[nodiscard]] nn::CrossEntropy loss(const torch::Tensor& x, const torch::Tensor& targets,
                                      const nn::LossOptions& options) const;
  void initialize(const at::Generator& generator) override;

 private:
  [[nodiscard]] torch::Tensor projected(const torch::Tensor& x) const;
  [[nodiscard]] const torch::Tensor& matrix() const;

  std::shared_ptr<nn::Embedding> tied_;     // null: `weight_` is used
  std::shared_ptr<nn::Linear> projection_;  // null where D = E
  torch::Tensor weight_;                    // [V, D]; undefined if tied
  torch::Tensor bias_;                      // [V]
};

}  // namespace attend::model
