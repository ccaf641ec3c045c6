#include "model/sources/bidirectional_coattention.h"

#include "nn/attention/distribution/masked_softmax.h"

namespace attend::model {

BidirectionalCoattention::BidirectionalCoattention(const ModelOptions& options, int64_t size)
    : FineCoattention(options, size, 4 * size) {
  const auto add = [&](const char* name) {
    return register_module(name, std::make_shared<nn::Linear>(size, 1, /*bias=*/false));
  };
  first_ = add("first");
  second_ = add("second");
  product_ = add("product");
}

BidirectionalCoattention::Flow BidirectionalCoattention::flow(const torch::Tensor& similarity,
                                                              const EncoderOutput& own,
                                                              const EncoderOutput& other) const {
  const torch::Tensor seen = other.mask.unsqueeze(1);  // [B, 1, S']
  const torch::Tensor at_other = nn::masked_softmax(similarity, seen);
  const torch::Tensor best =
      similarity.masked_fill(seen.logical_not(), nn::kLowestEnergy).amax(2);  // [B, S]
  const torch::Tensor at_own = nn::masked_softmax(best, own.mask).unsqueeze(1);
  const torch::Tensor& x = own.outputs;
  const torch::Tensor found = mixed(at_other, other.outputs);
  return {at::cat({x, found, x * found, x * mixed(at_own, x)}, 2), at_other, at_own};
}

FineCoattention::Compared BidirectionalCoattention::compare(const EncoderOutput& first,
                                                            const EncoderOutput& second) const {
  const torch::Tensor& u = first.outputs;
  const torch::Tensor& h = second.outputs;
  const torch::Tensor similarity = first_->forward(u) + second_->forward(h).transpose(1, 2) +
                                   at::bmm(u * product_->weight(), h.transpose(1, 2));
  Flow of_first = flow(similarity, first, second);
  Flow of_second = flow(similarity.transpose(1, 2), second, first);
  return {
      std::move(of_first.joined),
      std::move(of_second.joined),
      {across(of_first.at_other, of_second.at_other), within(of_first.at_own, of_second.at_own)}};
}

}  // namespace attend::model
