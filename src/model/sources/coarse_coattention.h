#pragma once
#include "model/sources/coattention.h"
#include "nn/linear.h"

namespace attend::model {

/// Pools each source into one vector, with the other source as the query (Lu, Yang, Batra & Parikh
/// 2016, "Hierarchical Question-Image Co-Attention for Visual Question Answering", Sec. 3.3-3.4).
/// The vectors q^ and v^ are the summaries of the sources. Their combination h = tanh(W_w (q^ +
/// v^)), as in Eq. 7, is added to every position of both: q_t + h and v_n + h. The paper answers
/// from h alone; here the decoder attends to the positions.
class CoarseCoattention : public Coattention {
 public:
  struct Pooled {
    torch::Tensor first, second;         // [B, C]: q^, v^
    std::vector<SideTable> weight_maps;  // as in Coattended
  };
  [[nodiscard]] virtual Pooled pool(const EncoderOutput& first,
                                    const EncoderOutput& second) const = 0;

  [[nodiscard]] Coattended forward(const EncoderOutput& first,
                                   const EncoderOutput& second) const override;
  [[nodiscard]] int64_t output_size() const override { return size_; }

 protected:
  CoarseCoattention(const ModelOptions& options, int64_t size);
  /// k, the number of rows of H in the paper: `model.attention.size`, or C.
  [[nodiscard]] int64_t inner_size() const { return inner_size_; }
  /// Sum of a source's positions with weights [B, S]: [B, C].
  [[nodiscard]] torch::Tensor sum(const torch::Tensor& weights, const EncoderOutput& source) const;

 private:
  [[nodiscard]] EncoderOutput placed(const EncoderOutput& source, const torch::Tensor& summary,
                                     const torch::Tensor& both) const;

  int64_t size_;
  int64_t inner_size_;
  std::shared_ptr<nn::Linear> together_;  // W_w
};

}  // namespace attend::model
