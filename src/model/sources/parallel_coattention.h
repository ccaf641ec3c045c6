#pragma once
#include "model/sources/coarse_coattention.h"

namespace attend::model {

/// Pools both sources at once (Lu et al. 2016, Eq. 3-5; they write positions as columns). With C[t,
/// n] = tanh(q_t W_b v_n):
///   H^q_t = tanh(W_q q_t + sum_n C[t, n] W_v v_n)    a^q = softmax_t(w_q . H^q_t)
///   H^v_n = tanh(W_v v_n + sum_t C[t, n] W_q q_t)    a^v = softmax_n(w_v . H^v_n)
/// q^ and v^ are the sums with these weights. There is one layer of weights: a position attends to
/// its own source with a^q or a^v.
class ParallelCoattention final : public CoarseCoattention {
 public:
  ParallelCoattention(const ModelOptions& options, int64_t size);

  [[nodiscard]] Pooled pool(const EncoderOutput& first, const EncoderOutput& second) const override;

 private:
  std::shared_ptr<nn::Linear> affinity_;       // W_b
  std::shared_ptr<nn::Linear> first_;          // W_q
  std::shared_ptr<nn::Linear> second_;         // W_v
  std::shared_ptr<nn::Linear> first_energy_;   // w_q
  std::shared_ptr<nn::Linear> second_energy_;  // w_v
};

}  // namespace attend::model
