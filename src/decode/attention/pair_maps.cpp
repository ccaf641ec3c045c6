#include "decode/attention/pair_maps.h"

#include "decode/scoring/finite.h"

namespace attend::decode {

torch::Tensor real_part(const torch::Tensor& weights, int64_t target_length,
                        int64_t source_length) {
  return weights.narrow(-2, 0, target_length)
      .narrow(-1, 0, source_length)
      .to(torch::kCPU, torch::kFloat)
      .contiguous();
}

std::vector<torch::Tensor> real_layers(std::span<const torch::Tensor> layers, int64_t row,
                                       int64_t target_length, int64_t source_length) {
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& layer : layers) {
    parts.push_back(real_part(layer[row], target_length, source_length));
    require_finite(parts.back());
  }
  return parts;
}

std::vector<torch::Tensor> real_parts(const torch::Tensor& maps,
                                      std::span<const std::vector<text::TokenId>> targets,
                                      const torch::Tensor& source_lengths) {
  std::vector<torch::Tensor> parts;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    parts.push_back(real_part(maps[row], static_cast<int64_t>(targets[i].size()) + 1,
                              source_lengths[row].item<int64_t>()));
    require_finite(parts.back());
  }
  return parts;
}

}  // namespace attend::decode
