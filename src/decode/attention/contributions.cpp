#include "decode/attention/contributions.h"

#include <c10/core/InferenceMode.h>

#include <stdexcept>

#include "decode/attention/pair_maps.h"
#include "decode/scoring/finite.h"
#include "decode/scoring/forced_pairs_check.h"

namespace attend::decode {
namespace {

/// Rows divided by their sums; rows of zeros stay.
torch::Tensor shares(const torch::Tensor& norms) {
  const torch::Tensor sums = norms.sum(-1, /*keepdim=*/true);
  return norms / sums.masked_fill(sums == 0.0, 1.0);
}

void check_contributions(const model::Seq2Seq& model, std::size_t sources, std::size_t targets) {
  check_forced_pairs(model, sources, targets, "contributions");
  if (!model.has_contributions())
    throw std::logic_error("contributions: the model is no Transformer");
}

}  // namespace

std::vector<std::vector<torch::Tensor>> contributions(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets) {
  check_contributions(model, static_cast<std::size_t>(source.size()), targets.size());
  const c10::InferenceMode no_gradients;
  const auto input = data::frame_targets({targets.begin(), targets.end()}).to(model.device()).input;
  const model::TracedPair traced = model.trace(source.to(model.device()), input);
  std::vector<std::vector<torch::Tensor>> pairs(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    for (const torch::Tensor& layer : traced.decoding.contributions) {
      const torch::Tensor real = real_part(layer[row], static_cast<int64_t>(targets[i].size()) + 1,
                                           source.lengths[row].item<int64_t>());
      require_finite(real);
      pairs[i].push_back(shares(real));
    }
  }
  return pairs;
}

std::vector<torch::Tensor> contributions(const model::Seq2Seq& model,
                                         const data::SentenceBatch& source,
                                         std::span<const std::vector<text::TokenId>> targets,
                                         const CrossMap& choice) {
  const std::size_t layer = choice.layer > 0 ? choice.layer - 1 : model.shown_layer();
  std::vector<torch::Tensor> maps;
  for (const auto& layers : contributions(model, source, targets))
    maps.push_back(layers.at(layer)[static_cast<int64_t>(choice.head)]);
  return maps;
}

}  // namespace attend::decode
