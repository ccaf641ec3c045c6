#include "nn/rnn/addressing.h"

namespace attend::nn {
namespace {

constexpr double kSmall = 1e-6;

torch::Tensor of_length_one(const torch::Tensor& vectors) {
  return vectors * (vectors.square().sum(-1, /*keepdim=*/true) + kSmall).rsqrt();
}

/// True for [N, K, *] with so few heads that at::bmm(), which multiplies one sequence after
/// another, would spend more time on overhead than on products.
bool is_few(const torch::Tensor& heads) {
  return heads.size(1) <= 2;
}

/// keys [N, K, W] and memory [N, M, W] -> dot products [N, K, M].
torch::Tensor compared(const torch::Tensor& keys, const torch::Tensor& memory) {
  if (!is_few(keys)) return at::bmm(keys, memory.transpose(1, 2));
  return at::mul(keys.unsqueeze(2), memory.unsqueeze(1)).sum(3);
}

}  // namespace

torch::Tensor content_weights(const torch::Tensor& memory, const torch::Tensor& keys,
                              const torch::Tensor& strengths) {
  const torch::Tensor cosine = compared(of_length_one(keys), of_length_one(memory));
  return (cosine * strengths.unsqueeze(2)).softmax(2);
}

torch::Tensor shifted(const torch::Tensor& weights, const torch::Tensor& shift) {
  const torch::Tensor back = weights.roll({-1}, {2}), on = weights.roll({1}, {2});
  return back * shift.narrow(2, 0, 1) + weights * shift.narrow(2, 1, 1) +
         on * shift.narrow(2, 2, 1);
}

torch::Tensor sharpened(const torch::Tensor& weights, const torch::Tensor& exponents) {
  // Scaling all weights does not change the result. With a largest weight of 1 the sum cannot be 0.
  const torch::Tensor largest = weights.detach().amax(2, /*keepdim=*/true).clamp_min(kSmall);
  const torch::Tensor powers = (weights / largest).pow(exponents.unsqueeze(2));
  return powers / powers.sum(2, /*keepdim=*/true).clamp_min(kSmall);
}

torch::Tensor written(const torch::Tensor& memory, const torch::Tensor& weights,
                      const torch::Tensor& erase, const torch::Tensor& added) {
  const torch::Tensor column = weights.unsqueeze(2);
  return memory + column * (added.unsqueeze(1) - memory * erase.unsqueeze(1));
}

torch::Tensor read_slots(const torch::Tensor& memory, const torch::Tensor& weights) {
  if (!is_few(weights)) return at::bmm(weights, memory);
  return at::mul(weights.unsqueeze(3), memory.unsqueeze(1)).sum(2);
}

torch::Tensor allocation(const torch::Tensor& usage) {
  // cumprod() has a simple gradient if no factor is 0.
  const torch::Tensor above_zero = usage * (1 - kSmall) + kSmall;
  const auto [used, order] = above_zero.sort(/*stable=*/true, /*dim=*/1, /*descending=*/false);
  const torch::Tensor before = at::cat(
      {torch::ones_like(used.narrow(1, 0, 1)), used.narrow(1, 0, used.size(1) - 1).cumprod(1)}, 1);
  return torch::zeros_like(usage).scatter(1, order, (1 - used) * before);
}

}  // namespace attend::nn
