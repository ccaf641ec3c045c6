#include "model/sources/parallel_coattention.h"

#include "nn/attention/distribution/masked_softmax.h"

namespace attend::model {

ParallelCoattention::ParallelCoattention(const ModelOptions& options, int64_t size)
    : CoarseCoattention(options, size) {
  const auto add = [&](const char* name, int64_t inputs, int64_t outputs) {
    return register_module(name, std::make_shared<nn::Linear>(inputs, outputs, /*bias=*/false));
  };
  affinity_ = add("affinity", size, size);
  first_ = add("first", size, inner_size());
  second_ = add("second", size, inner_size());
  first_energy_ = add("first_energy", inner_size(), 1);
  second_energy_ = add("second_energy", inner_size(), 1);
}

CoarseCoattention::Pooled ParallelCoattention::pool(const EncoderOutput& first,
                                                    const EncoderOutput& second) const {
  // Positions of padding are zero and add nothing to the sums over C.
  const torch::Tensor affinity =
      at::bmm(first.outputs, affinity_->forward(second.outputs).transpose(1, 2)).tanh();
  const torch::Tensor of_first = first_->forward(first.outputs);
  const torch::Tensor of_second = second_->forward(second.outputs);
  const auto weights = [](const nn::Linear& energy, const torch::Tensor& inner,
                          const torch::Tensor& mask) {
    return nn::masked_softmax(energy.forward(inner.tanh()).squeeze(2), mask);
  };
  const torch::Tensor first_weights =
      weights(*first_energy_, of_first + at::bmm(affinity, of_second), first.mask);
  const torch::Tensor second_weights = weights(
      *second_energy_, of_second + at::bmm(affinity.transpose(1, 2), of_first), second.mask);
  return {sum(first_weights, first),
          sum(second_weights, second),
          {within(first_weights.unsqueeze(1), second_weights.unsqueeze(1))}};
}

}  // namespace attend::model
