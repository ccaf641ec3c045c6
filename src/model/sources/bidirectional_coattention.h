#pragma once
#include "model/sources/fine_coattention.h"
#include "nn/linear.h"

namespace attend::model {

/// The attention flow of Seo, Kembhavi, Farhadi & Hajishirzi (2017), "Bidirectional Attention Flow
/// for Machine Comprehension", Eq. 1-2, whose context is the second source (h_n) and whose query is
/// the first (u_t):
///   S[n, t] = w . [h_n; u_t; h_n * u_t]
///   u~_n = sum_t softmax_t(S[n, t]) u_t             context to query
///   h~ = sum_n softmax_n(max_t S[n, t]) h_n         query to context
///   G_n = [h_n; u~_n; h_n * u~_n; h_n * h~]
/// and the LSTM reads G. The first source in the same way from the same S, with the roles
/// exchanged. Two layers: a position looks at those of the other source, by the first softmax, and
/// at those of its own, by the second.
class BidirectionalCoattention final : public FineCoattention {
 public:
  BidirectionalCoattention(const ModelOptions& options, int64_t size);

  [[nodiscard]] Compared compare(const EncoderOutput& first,
                                 const EncoderOutput& second) const override;
  [[nodiscard]] std::size_t layers() const override { return 2; }

 private:
  /// One source with what it finds in the other.
  struct Flow {
    torch::Tensor joined;    // [B, S, 4 C]: G
    torch::Tensor at_other;  // [B, S, S']
    torch::Tensor at_own;    // [B, 1, S]
  };
  /// similarity [B, S, S'].
  [[nodiscard]] Flow flow(const torch::Tensor& similarity, const EncoderOutput& own,
                          const EncoderOutput& other) const;

  std::shared_ptr<nn::Linear> first_;    // the parts of w: of u,
  std::shared_ptr<nn::Linear> second_;   // of h,
  std::shared_ptr<nn::Linear> product_;  // and of their product
};

}  // namespace attend::model
