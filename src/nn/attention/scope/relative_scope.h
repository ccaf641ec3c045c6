#pragma once
#include "nn/attention/scope/scope.h"

namespace attend::nn {

/// Adds relative position representations to another scope: with learned a^K and a^V of the
/// distance s - t, clipped to +-k,
///   e[t,s] += f q_t^T a^K_{s-t},   context_t = sum_s weights[t,s] (v_s + a^V_{s-t}),
/// where f is 1 if the score does not scale its products, else 1 / sqrt(size). Shaw, Uszkoreit &
/// Vaswani (2018), arXiv 1803.02155, Eq. 3-4. All rows, and so all heads, share a^K and a^V.
class RelativeScope final : public AttentionScope {
 public:
  struct Sizes {
    int64_t head = 0;      // size of queries, keys and values
    int64_t distance = 0;  // k
  };

  /// Requires: `scope` shows all positions in order.
  RelativeScope(std::shared_ptr<AttentionScope> scope, Sizes sizes, double factor);

  [[nodiscard]] View make_view(const torch::Tensor& query, const Memory& memory,
                               int64_t position) const override;
  [[nodiscard]] std::string plain_reason() const override { return "positions"; }
  void initialize(const at::Generator& generator) override;

 private:
  std::shared_ptr<AttentionScope> scope_;
  int64_t distance_;
  double factor_;
  torch::Tensor keys_;    // [2k + 1, C]: a^K of the distances -k ... k
  torch::Tensor values_;  // [2k + 1, C]: a^V
};

}  // namespace attend::nn
