#include "decode/attention/alti.h"

#include <c10/core/InferenceMode.h>

#include "decode/attention/pair_maps.h"
#include "decode/scoring/forced_pairs_check.h"

namespace attend::decode {
namespace {

/// Rows divided by their sums, in float64. Rows of zeros become those of `residual`.
torch::Tensor shares(const torch::Tensor& interactions, const torch::Tensor& residual) {
  const torch::Tensor rows = interactions.to(torch::kFloat64);
  const torch::Tensor sums = rows.sum(1, /*keepdim=*/true);
  return torch::where(sums > 0, rows / sums, residual);
}

torch::Tensor own_shares(const torch::Tensor& interactions) {
  return shares(interactions, torch::eye(interactions.size(0), torch::kFloat64));
}

torch::Tensor apart_shares(const torch::Tensor& interactions) {
  const torch::Tensor residual = torch::zeros({1, interactions.size(1)}, torch::kFloat64);
  residual.select(1, 0).fill_(1.0);
  return shares(interactions, residual);
}

}  // namespace

std::vector<TokenShares> interaction_rollout(const LayerInteractions& layers) {
  const int64_t positions = layers.self.front().size(0);
  const int64_t words = layers.cross.front().size(1) - 1;
  torch::Tensor encoder = torch::eye(words, torch::kFloat64);
  for (const torch::Tensor& layer : layers.encoder) encoder = torch::mm(own_shares(layer), encoder);
  torch::Tensor source = torch::zeros({positions, words}, torch::kFloat64);
  torch::Tensor target = torch::eye(positions, torch::kFloat64);
  std::vector<TokenShares> results;
  for (std::size_t l = 0; l < layers.self.size(); ++l) {
    const torch::Tensor cross = apart_shares(layers.cross[l]);
    const torch::Tensor before = cross.narrow(1, 0, 1) * own_shares(layers.self[l]);
    source = torch::mm(cross.narrow(1, 1, words), encoder) + torch::mm(before, source);
    target = torch::mm(before, target);
    results.push_back({source.to(torch::kFloat), target.to(torch::kFloat)});
  }
  return results;
}

std::vector<std::vector<TokenShares>> alti(const model::Seq2Seq& model,
                                           const data::SentenceBatch& source,
                                           std::span<const std::vector<text::TokenId>> targets) {
  check_forced_pairs(model, static_cast<std::size_t>(source.size()), targets.size(), "alti");
  const c10::InferenceMode no_gradients;
  const auto input = data::frame_targets({targets.begin(), targets.end()}).to(model.device()).input;
  const model::TracedPair traced = model.trace_interactions(source.to(model.device()), input);
  std::vector<std::vector<TokenShares>> pairs;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto pair = static_cast<int64_t>(i), steps = std::ssize(targets[i]) + 1;
    const auto words = source.lengths[pair].item<int64_t>();
    pairs.push_back(interaction_rollout(
        {real_layers(traced.encoder_interactions, pair, words, words),
         real_layers(traced.decoding.self_interactions, pair, steps, steps),
         real_layers(traced.decoding.cross_interactions, pair, steps, 1 + words)}));
  }
  return pairs;
}

std::vector<torch::Tensor> alti(const model::Seq2Seq& model, const data::SentenceBatch& source,
                                std::span<const std::vector<text::TokenId>> targets,
                                const CrossMap& choice) {
  const std::size_t layer = choice.layer > 0 ? choice.layer - 1 : model.shown_layer();
  std::vector<torch::Tensor> maps;
  for (const auto& layers : alti(model, source, targets)) maps.push_back(layers.at(layer).source);
  return maps;
}

}  // namespace attend::decode
