#include "decode/attention/attention_maps.h"

#include <c10/core/InferenceMode.h>

#include "decode/attention/pair_maps.h"
#include "decode/attention/rollout.h"
#include "decode/scoring/forced_pairs_check.h"

namespace attend::decode {
namespace {

/// The lengths of one pair.
struct PairLengths {
  int64_t row = 0;     // row in the batch
  int64_t source = 0;  // kEos included
  int64_t target = 0;
};

KindMaps encoder_maps(const model::TracedPair& traced, const PairLengths& pair, bool is_stack) {
  KindMaps maps{real_layers(traced.encoder, pair.row, pair.source, pair.source), {}};
  if (is_stack && !maps.layers.empty()) maps.rollout = rollout(maps.layers);
  return maps;
}

KindMaps decoder_maps(const model::TracedPair& traced, const PairLengths& pair) {
  KindMaps maps{real_layers(traced.decoding.self, pair.row, pair.target, pair.target), {}};
  if (!maps.layers.empty()) maps.rollout = rollout(maps.layers);
  return maps;
}

KindMaps cross_maps(const model::TracedPair& traced, const PairLengths& pair, std::size_t shown,
                    const torch::Tensor& words) {
  KindMaps maps{real_layers(traced.decoding.cross, pair.row, pair.target, pair.source), {}};
  if (words.defined() && !maps.layers.empty())
    maps.rollout = torch::mm(maps.layers.at(shown).mean(0), words);
  return maps;
}

KindMaps memory_maps(const model::LayerMaps& layers, int64_t row, int64_t rows) {
  if (layers.empty()) return {};
  return {real_layers(layers, row, rows, layers.front().size(3)), {}};
}

AttentionMaps maps_of_pair(const model::Seq2Seq& model, const model::TracedPair& traced,
                           const PairLengths& pair, const AttentionKinds& kinds) {
  AttentionMaps maps;
  if (kinds.encoder || kinds.cross)
    maps.encoder = encoder_maps(traced, pair, model.attention_heads().encoder_is_stack);
  if (kinds.decoder) maps.decoder = decoder_maps(traced, pair);
  if (kinds.cross) maps.cross = cross_maps(traced, pair, model.shown_layer(), maps.encoder.rollout);
  if (!kinds.encoder) maps.encoder = {};
  if (kinds.encoder_memory)
    maps.encoder_memory = memory_maps(traced.encoder_memory, pair.row, pair.source);
  if (kinds.decoder_memory)
    maps.decoder_memory = memory_maps(traced.decoding.memory, pair.row, pair.target);
  return maps;
}

}  // namespace

std::vector<AttentionMaps> attention_maps(const model::Seq2Seq& model,
                                          const data::SentenceBatch& source,
                                          std::span<const std::vector<text::TokenId>> targets,
                                          const AttentionKinds& kinds) {
  check_forced_pairs(model, static_cast<std::size_t>(source.size()), targets.size(),
                     "attention maps");
  const c10::InferenceMode no_gradients;
  const auto input = data::frame_targets({targets.begin(), targets.end()}).to(model.device()).input;
  const model::TracedPair traced = model.trace(source.to(model.device()), input);
  std::vector<AttentionMaps> results;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    const PairLengths pair{row, source.lengths[row].item<int64_t>(),
                           static_cast<int64_t>(targets[i].size()) + 1};
    results.push_back(maps_of_pair(model, traced, pair, kinds));
  }
  return results;
}

torch::Tensor chosen_map(const AttentionMaps& maps, const model::Seq2Seq& model,
                         const CrossMap& choice) {
  const std::size_t layer = choice.layer > 0 ? choice.layer - 1 : model.shown_layer();
  const torch::Tensor& heads = maps.cross.layers.at(layer);
  return choice.head > 0 ? heads[static_cast<int64_t>(choice.head) - 1] : heads.mean(0);
}

}  // namespace attend::decode
