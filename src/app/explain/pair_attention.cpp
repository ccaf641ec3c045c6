#include "app/explain/pair_attention.h"

#include <fmt/format.h>

#include "core/error.h"
#include "data/batch.h"
#include "data/options.h"
#include "decode/attention/attention_maps.h"

namespace attend::app {

namespace {

constexpr const char* kExplain = "explain";

void refuse_model(const LoadedModel& model, const std::string& why) {
  throw UsageError(fmt::format("{} cannot examine the model in {}: {}", kExplain,
                               model.directory.string(), why));
}

/// The weights at position t of each head.
HeadWeights weights_at(const decode::KindMaps& maps, int64_t t) {
  HeadWeights weights;
  for (const torch::Tensor& layer : maps.layers) {
    weights.emplace_back();
    for (int64_t head = 0; head < layer.size(0); ++head) {
      const torch::Tensor row = layer[head][t].to(torch::kFloat64).contiguous();
      weights.back().emplace_back(row.data_ptr<double>(), row.data_ptr<double>() + row.numel());
    }
  }
  return weights;
}

}  // namespace

void require_explainable(const LoadedModel& model) {
  require_attention(model, kExplain);
  if (data::count_sources(model.experiment.data) > 1)
    refuse_model(model, "it reads several sources, each with an attention of its own");
  if (model.experiment.model.attention.per_feature)
    refuse_model(model,
                 "it has one weight for each feature of a source position "
                 "(model.attention.per_feature: true), not one for the position");
}

SourceWords source_words(const TokenizedLine& source) {
  const align::WordGroups groups = word_groups(source, /*end=*/true);
  std::vector<std::vector<std::size_t>> pieces(groups.names.size() - 1);
  for (std::size_t piece = 0; piece < source.ids.size(); ++piece)
    if (groups.group_of[piece] < pieces.size()) pieces[groups.group_of[piece]].push_back(piece);
  SourceWords words;
  for (std::size_t w = 0; w < pieces.size(); ++w) {
    if (pieces[w].empty()) continue;
    words.names.push_back(groups.names[w]);
    words.pieces.push_back(std::move(pieces[w]));
  }
  return words;
}

std::vector<HeadWeights> pair_attention(const LoadedModel& model,
                                        const std::vector<text::TokenId>& source,
                                        const std::vector<text::TokenId>& target) {
  const auto maps = decode::attention_maps(*model.model, data::frame_sources({source}),
                                           data::Sentences{target}, {.cross = true})
                        .front()
                        .cross;
  const auto pieces = static_cast<int64_t>(source.size()) + 1;
  const int64_t columns = maps.layers.front().size(2);
  if (columns != pieces)
    refuse_model(model, fmt::format("it attends to {} positions for a line of {} pieces; {} "
                                    "examines attention to pieces",
                                    columns, pieces, kExplain));
  std::vector<HeadWeights> weights;
  for (std::size_t t = 0; t <= target.size(); ++t)
    weights.push_back(weights_at(maps, static_cast<int64_t>(t)));
  return weights;
}

}  // namespace attend::app
