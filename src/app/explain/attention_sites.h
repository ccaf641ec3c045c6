#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/named_enum.h"
#include "model/attention_maps.h"

namespace attend::app {

/// Weights at one target position, by layer and head of the attention to the source; each holds a
/// weight per source position.
using HeadWeights = std::vector<std::vector<std::vector<double>>>;

/// Heads whose weights change together. Their attention is the mean over them.
struct AttentionSite {
  std::string name;                         ///< "all", "layer 2", "layer 2 head 3"
  std::vector<std::vector<int64_t>> heads;  ///< by layer, the heads (from 0) that belong to it
};

/// How finely attention is examined: all heads of all layers together, also each layer, also each
/// head.
enum class SiteLevel { model, layer, head };

constexpr auto name_table(SiteLevel) {
  return std::to_array<NamedValue<SiteLevel>>(
      {{SiteLevel::model, "model"}, {SiteLevel::layer, "layer"}, {SiteLevel::head, "head"}});
}

/// The sites of a model with `layers`: "all" first. Sites equal to an earlier one are left out.
[[nodiscard]] std::vector<AttentionSite> attention_sites(const model::LayerHeads& layers,
                                                         SiteLevel level);

/// The mean weights over the heads of a site.
[[nodiscard]] std::vector<double> mean_weights(const HeadWeights& weights,
                                               const AttentionSite& site);

/// mean_weights() divided by their sum; all 0 if the sum is 0.
[[nodiscard]] std::vector<double> attention_of(const HeadWeights& weights,
                                               const AttentionSite& site);

}  // namespace attend::app
