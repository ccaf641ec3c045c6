#include "model/sources/coarse_coattention.h"

#include "nn/dropout.h"

namespace attend::model {

CoarseCoattention::CoarseCoattention(const ModelOptions& options, int64_t size)
    : Coattention(options.dropout),
      size_(size),
      inner_size_(options.attention.size > 0 ? options.attention.size : size),
      together_(
          register_module("together", std::make_shared<nn::Linear>(size, size, /*bias=*/false))) {}

torch::Tensor CoarseCoattention::sum(const torch::Tensor& weights,
                                     const EncoderOutput& source) const {
  return mixed(weights.unsqueeze(1), source.outputs).squeeze(1);
}

EncoderOutput CoarseCoattention::placed(const EncoderOutput& source, const torch::Tensor& summary,
                                        const torch::Tensor& both) const {
  const torch::Tensor added = nn::dropout(both, dropout().layer, is_training()).unsqueeze(1);
  return {(source.outputs + added) * source.mask.unsqueeze(2),
          source.lengths,
          source.mask,
          {{summary, {}}}};
}

Coattended CoarseCoattention::forward(const EncoderOutput& first,
                                      const EncoderOutput& second) const {
  Pooled pooled = pool(first, second);
  const torch::Tensor both = together_->forward(pooled.first + pooled.second).tanh();
  return {{placed(first, pooled.first, both), placed(second, pooled.second, both)},
          std::move(pooled.weight_maps)};
}

}  // namespace attend::model
