#include "model/recurrent/readout.h"

namespace attend::model {

Readout::Readout(const ModelOptions& options, int64_t memory_size)
    : maxout_(recurrent_decoder(options).readout == ReadoutKind::maxout),
      linear_(register_module(
          "linear", std::make_shared<nn::Linear>(
                        recurrent_decoder(options).hidden + options.embedding + memory_size,
                        options.embedding * (maxout_ ? 2 : 1)))) {}

torch::Tensor Readout::forward(const torch::Tensor& hidden, const torch::Tensor& embedded,
                               const torch::Tensor& context) const {
  const torch::Tensor mixed = linear_->forward(at::cat({hidden, embedded, context}, -1));
  if (!maxout_) return mixed.tanh();
  std::vector<int64_t> pairs = mixed.sizes().vec();
  pairs.back() /= 2;
  pairs.push_back(2);
  return mixed.view(pairs).amax(-1);
}

}  // namespace attend::model
