#pragma once
#include <memory>

#include "nn/embedding.h"
#include "nn/linear.h"
#include "nn/loss.h"
#include "nn/own_columns.h"
#include "nn/packed_weights.h"

namespace attend::model {

/// Rows of an output layer for U words. Each state is scored only for its own candidates among
/// them.
struct OutputRows {
  torch::Tensor weight;  // [U, D], or [U, E] if tied
  torch::Tensor bias;    // [U]
  std::unique_ptr<const kernels::PackedWeight>
      packed;          // null unless the ExecutionScope packs bf16 or int8
  nn::OwnColumns own;  // the candidates of each of N states, as indices into U
};

/// Maps pre-output states to scores over the vocabulary: W x + b. If tied, W is the target
/// embedding (Press & Wolf 2017), after a projection of the state if the sizes differ.
class OutputLayer : public nn::Block {
 public:
  /// Has its own matrix W.
  OutputLayer(int64_t size, int64_t vocabulary);
  /// Tied to `embedding`, which is registered elsewhere.
  OutputLayer(int64_t size, std::shared_ptr<nn::Embedding> embedding);

  /// x [..., D] -> [..., V], not normalised.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& x) const;
  /// Output weights restricted to the candidates `ids` [U] int64, in the format that the current
  /// ExecutionScope computes with. `own` selects each state's candidates.
  [[nodiscard]] OutputRows rows(const torch::Tensor& ids, nn::OwnColumns own) const;
  /// x [N, D] -> [N, W]: the columns of forward(x) for each state's own candidates.
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& x, const OutputRows& rows) const;
  /// Cross-entropy of the scores of x [N, D] against targets [N]; see nn::cross_entropy().
  [[nodiscard]] nn::CrossEntropy loss(const torch::Tensor& x, const torch::Tensor& targets,
                                      const nn::LossOptions& options) const;
  void initialize(const at::Generator& generator) override;

 private:
  [[nodiscard]] torch::Tensor projected(const torch::Tensor& x) const;
  [[nodiscard]] const torch::Tensor& matrix() const;

  std::shared_ptr<nn::Embedding> tied_;     // null: `weight_` is used
  std::shared_ptr<nn::Linear> projection_;  // null if D = E
  torch::Tensor weight_;                    // [V, D]; undefined if tied
  torch::Tensor bias_;                      // [V]
};

}  // namespace attend::model
