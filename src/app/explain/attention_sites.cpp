#include "app/explain/attention_sites.h"

#include <fmt/format.h>

#include <numeric>

namespace attend::app {

namespace {

std::vector<int64_t> all_heads(int64_t count) {
  std::vector<int64_t> heads(static_cast<std::size_t>(count));
  std::iota(heads.begin(), heads.end(), int64_t{0});
  return heads;
}

AttentionSite whole_model(const model::LayerHeads& layers) {
  AttentionSite site{"all", {}};
  for (const int64_t count : layers) site.heads.push_back(all_heads(count));
  return site;
}

AttentionSite part_of(const model::LayerHeads& layers, std::size_t layer, std::string name,
                      std::vector<int64_t> heads) {
  AttentionSite site{std::move(name), std::vector<std::vector<int64_t>>(layers.size())};
  site.heads[layer] = std::move(heads);
  return site;
}

}  // namespace

std::vector<AttentionSite> attention_sites(const model::LayerHeads& layers, SiteLevel level) {
  std::vector<AttentionSite> sites{whole_model(layers)};
  if (level == SiteLevel::model) return sites;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string name = fmt::format("layer {}", i + 1);
    if (layers.size() > 1) sites.push_back(part_of(layers, i, name, all_heads(layers[i])));
    for (int64_t h = 0; level == SiteLevel::head && layers[i] > 1 && h < layers[i]; ++h)
      sites.push_back(part_of(layers, i, fmt::format("{} head {}", name, h + 1), {h}));
  }
  return sites;
}

std::vector<double> mean_weights(const HeadWeights& weights, const AttentionSite& site) {
  std::vector<double> sum(weights.front().front().size());
  double count = 0.0;
  for (std::size_t layer = 0; layer < site.heads.size(); ++layer) {
    for (const int64_t head : site.heads[layer]) {
      const auto& row = weights[layer][static_cast<std::size_t>(head)];
      for (std::size_t s = 0; s < sum.size(); ++s) sum[s] += row[s];
      count += 1.0;
    }
  }
  for (double& weight : sum) weight /= count;
  return sum;
}

std::vector<double> attention_of(const HeadWeights& weights, const AttentionSite& site) {
  std::vector<double> attention = mean_weights(weights, site);
  const double sum = std::accumulate(attention.begin(), attention.end(), 0.0);
  for (double& weight : attention) weight = sum > 0.0 ? weight / sum : 0.0;
  return attention;
}

}  // namespace attend::app
