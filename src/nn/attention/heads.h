#pragma once
#include <array>

#include "nn/attention/memory.h"
#include "nn/attention/registry.h"
#include "nn/device/linear.h"
#include "nn/fused/loop.h"
#include "nn/linear.h"

namespace attend::nn {

/// The projections of multi-head attention (Vaswani et al. 2017, arXiv 1706.03762, Sec. 3.2.2):
///   head_i = attention(W_i^Q q, W_i^K k, W_i^V v),  context = W^O [head_1; ...; head_h]
/// Each head has C / h features. All heads share the attention function and its parameters, if any
/// (additive has some). All heads are computed at once, as further rows of the batch.
class Heads final : public torch::nn::Module {
 public:
  /// Throws ConfigError unless `count` divides the memory's size.
  Heads(int64_t count, ScoreSizes sizes);

  /// Sizes for an attention on a single head.
  [[nodiscard]] ScoreSizes sizes() const;
  [[nodiscard]] int64_t count() const { return count_; }

  /// query [N, T, H] -> [N * h, T, C / h].
  [[nodiscard]] torch::Tensor queries(const torch::Tensor& query) const;
  /// x [N, S, C] -> [N * h, S, C / h].
  [[nodiscard]] torch::Tensor keys(const torch::Tensor& x) const;
  [[nodiscard]] torch::Tensor values(const torch::Tensor& x) const;
  /// The projected memory, with one row for each sentence and head.
  [[nodiscard]] Memory project(const Memory& memory) const;
  /// Reshapes keys and values [B, h, ...] of `memory` to one row for each sentence and head.
  [[nodiscard]] PreparedMemory rows(const PreparedMemory& memory) const;
  /// [N * h, T, C / h] -> [N, T, C].
  [[nodiscard]] torch::Tensor join(const torch::Tensor& contexts) const;

  /// queries() and join() inside a loop of fused kernels: [H] -> h parts of [C / h] -> [C].
  [[nodiscard]] fused::LoopValue queries(fused::Loop& loop, fused::LoopValue query) const;
  [[nodiscard]] fused::LoopValue join(fused::Loop& loop, fused::LoopValue contexts) const;

  /// Projections with a separate dimension for the heads. Each is a view of one matrix product, so
  /// code that handles strides needs no copy. Tensors that are not computed are undefined.
  struct Split {
    torch::Tensor queries, keys, values;  // [N, h, L, C / h], stored as [N, L, h, C / h]
  };
  [[nodiscard]] torch::Tensor split_queries(const torch::Tensor& query) const;
  /// `result` is the type of keys and values on a device that computes in bf16.
  [[nodiscard]] Split split_keys_and_values(const Memory& memory, device::ResultType result) const;
  /// Queries, keys and values of the same x [N, L, C].
  [[nodiscard]] Split split_all(const torch::Tensor& x) const;
  /// One position per row: x [N, C] -> [N, C] with C / h features for each head.
  [[nodiscard]] torch::Tensor query_rows(const torch::Tensor& x) const;
  [[nodiscard]] torch::Tensor key_rows(const torch::Tensor& x) const;
  [[nodiscard]] torch::Tensor value_rows(const torch::Tensor& x) const;
  [[nodiscard]] torch::Tensor output(const torch::Tensor& contexts) const;

  /// [N, h, T, C / h] -> [N, T, C].
  [[nodiscard]] torch::Tensor join_split(const torch::Tensor& contexts) const;

  /// What values [N, h, S, C / h] of each head add to join_split() at weight 1: [N, h, S, C].
  [[nodiscard]] torch::Tensor outputs(const torch::Tensor& values) const;

  /// [N * h, ...] -> [N, h, ...] and back; undefined tensors stay undefined.
  [[nodiscard]] torch::Tensor split_rows(const torch::Tensor& rows) const;
  [[nodiscard]] static torch::Tensor merge_rows(const torch::Tensor& split);
  /// [N, ...] -> [N * h, ...], repeating each row h times.
  [[nodiscard]] torch::Tensor repeat(const torch::Tensor& x) const;

 private:
  /// x W^T for up to three weights.
  [[nodiscard]] std::array<torch::Tensor, 3> products(const torch::Tensor& x,
                                                      const std::array<torch::Tensor, 3>& weights,
                                                      device::ResultType result) const;
  /// [N, L, C] -> [N, h, L, C / h].
  [[nodiscard]] torch::Tensor with_heads(const torch::Tensor& x) const;
  /// [N, L, C] -> [N * h, L, C / h].
  [[nodiscard]] torch::Tensor split_features(const torch::Tensor& x) const;

  int64_t count_;
  int64_t memory_size_;
  std::shared_ptr<Linear> query_;
  std::shared_ptr<Linear> key_;
  std::shared_ptr<Linear> value_;
  std::shared_ptr<Linear> output_;
};

}  // namespace attend::nn
