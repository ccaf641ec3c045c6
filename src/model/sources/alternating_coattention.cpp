#include "model/sources/alternating_coattention.h"

#include "nn/attention/distribution/masked_softmax.h"

namespace attend::model {

AlternatingCoattention::AlternatingCoattention(const ModelOptions& options, int64_t size)
    : CoarseCoattention(options, size) {
  const auto add = [&](const char* name, bool guided) {
    return register_module(name, std::make_shared<GuidedPooling>(size, inner_size(), guided));
  };
  begin_ = add("begin", false);
  second_ = add("second", true);
  first_ = add("first", true);
}

CoarseCoattention::Pooled AlternatingCoattention::pool(const EncoderOutput& first,
                                                       const EncoderOutput& second) const {
  const auto weights = [](const GuidedPooling& step, const EncoderOutput& source,
                          const torch::Tensor& guide) {
    return nn::masked_softmax(step.energies(source.outputs, guide), source.mask);
  };
  const torch::Tensor first_weights = weights(*begin_, first, {});
  const torch::Tensor of_second = weights(*second_, second, sum(first_weights, first));
  torch::Tensor second_sum = sum(of_second, second);
  const torch::Tensor of_first = weights(*first_, first, second_sum);
  const auto same_for_all = [](const torch::Tensor& at_first, const torch::Tensor& at_second) {
    const std::vector<torch::Tensor> row{at_first, at_second};
    return SideTable{row, row};
  };
  return {sum(of_first, first),
          std::move(second_sum),
          {same_for_all(first_weights.unsqueeze(1), {}), same_for_all({}, of_second.unsqueeze(1)),
           same_for_all(of_first.unsqueeze(1), {})}};
}

}  // namespace attend::model
