#pragma once
#include "model/sources/fine_coattention.h"
#include "nn/linear.h"

namespace attend::model {

/// The attention flow of Seo, Kembhavi, Farhadi & Hajishirzi (2017), "Bidirectional Attention Flow
/// for Machine Comprehension", Eq. 1-2. Its context is the second source (h_n), its query the first
/// (u_t):
///   S[n, t] = w . [h_n; u_t; h_n * u_t]
///   u~_n = sum_t softmax_t(S[n, t]) u_t             context to query
///   h~ = sum_n softmax_n(max_t S[n, t]) h_n         query to context
///   G_n = [h_n; u~_n; h_n * u~_n; h_n * h~]
/// The LSTM reads G. The first source is treated in the same way with the same S and exchanged
/// roles. There are two layers of weights: with the first softmax a position attends to the other
/// source, with the second to its own.
class BidirectionalCoattention final : public FineCoattention {
 public:
  BidirectionalCoattention(const ModelOptions& options, int64_t size);

  [[nodiscard]] Compared compare(const EncoderOutput& first,
                                 const EncoderOutput& second) const override;
  [[nodiscard]] std::size_t layers() const override { return 2; }

 private:
  /// The positions of one source, combined with their contexts, and the weights.
  struct Flow {
    torch::Tensor joined;    // [B, S, 4 C]: G
    torch::Tensor at_other;  // [B, S, S']
    torch::Tensor at_own;    // [B, 1, S]
  };
  /// similarity [B, S, S'].
  [[nodiscard]] Flow flow(const torch::Tensor& similarity, const EncoderOutput& own,
                          const EncoderOutput& other) const;

  std::shared_ptr<nn::Linear> first_;    // w for u,
  std::shared_ptr<nn::Linear> second_;   // for h,
  std::shared_ptr<nn::Linear> product_;  // and for their product
};

}  // namespace attend::model
