#pragma once
#include "model/sources/fine_coattention.h"
#include "nn/linear.h"

namespace attend::model {

/// The coattention encoder of Xiong, Zhong & Socher (2017), "Dynamic Coattention Networks for
/// Question Answering", Sec. 2.1-2.2. Both sources get a sentinel s, a learned position to attend
/// to when nothing in the other source is relevant. The first source, the question, also gets a
/// layer of its own:
///   Q = [tanh(W s_q + b), tanh(W q_t + b) ...],  D = [s_d, v_n ...],  L = D^T Q
///   A^Q, A^D: the softmax of L for each position of Q over D, and for each position of D over Q
///   C^Q = D A^Q,  C^D = [Q; C^Q] A^D,  and the LSTM reads [D; C^D].
/// The first source is treated in the same way: [Q; [D; Q A^D] A^Q]. There is one layer of weights,
/// A^Q and A^D. The weight of the sentinel is not shown, so that a row may sum to less than 1.
class DynamicCoattention final : public FineCoattention {
 public:
  DynamicCoattention(const ModelOptions& options, int64_t size);

  [[nodiscard]] Compared compare(const EncoderOutput& first,
                                 const EncoderOutput& second) const override;
  void initialize(const at::Generator& generator) override;

 private:
  std::shared_ptr<nn::Linear> question_;  // W, b
  torch::Tensor first_sentinel_;          // [C]
  torch::Tensor second_sentinel_;         // [C]
};

}  // namespace attend::model
