#pragma once
#include <memory>

#include "model/options.h"
#include "nn/linear.h"

namespace attend::model {

/// Combines state, previous word and context before the output layer: t = W [s; y; c] + b, then
///   tanh:   tanh(t), as in dl4mt and Nematus (Sennrich et al. 2017, Sec. 2.1);
///   maxout: the larger of each pair of neighbours (Goodfellow et al. 2013), as in
///           Bahdanau et al. (2015), App. A.2.2.
class Readout : public torch::nn::Module {
 public:
  Readout(const ModelOptions& options, int64_t memory_size);

  /// hidden [..., H], embedded [..., E], context [..., C] -> [..., E].
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& hidden, const torch::Tensor& embedded,
                                      const torch::Tensor& context) const;

 private:
  bool maxout_;
  std::shared_ptr<nn::Linear> linear_;
};

}  // namespace attend::model
