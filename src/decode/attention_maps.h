#pragma once
#include <torch/types.h>

#include <cstddef>
#include <span>
#include <vector>

#include "data/batch.h"
#include "model/seq2seq.h"

namespace attend::decode {

/// Which attention is asked for.
struct AttentionKinds {
  bool encoder = false;  ///< of the source to itself
  bool decoder = false;  ///< of the target to itself
  bool cross = false;    ///< of the target to the source

  [[nodiscard]] bool any() const { return encoder || decoder || cross; }
};

/// The attention of one kind in a pair: float on the CPU, of real positions alone.
struct KindMaps {
  std::vector<torch::Tensor> layers;  ///< [heads, rows, columns] each, lowest first
  torch::Tensor rollout;              ///< [rows, columns]; undefined: there is none
};

/// All the attention of one pair, S source tokens (kEos among them) and T target tokens.
struct AttentionMaps {
  KindMaps encoder;  ///< [S, S]
  KindMaps decoder;  ///< [T + 1, T + 1]: row t predicts token t (kEos last) and column t is what
                     ///< was read before it (kBos first), so that nothing lies above the diagonal
  KindMaps cross;    ///< [T + 1, S]
};

/// The attention of every layer and head for given targets (without kBos and kEos; may be empty),
/// with its rollout: of the encoder and the decoder as in rollout.h, where their layers stand on
/// words. That of the cross attention is the shown layer's mean over heads times the encoder's:
/// what the target looks at in terms of words rather than of encoded positions. Kinds that are not
/// asked for or that the model does not have are empty. Throws std::logic_error if `model` is in
/// training mode or the sizes differ, NumericError if weights are not finite.
[[nodiscard]] std::vector<AttentionMaps> attention_maps(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets, const AttentionKinds& kinds);

/// One of the maps that a model shows a target word's attention to the source by.
struct CrossMap {
  std::size_t layer = 0;  ///< from 1, lowest; 0: Seq2Seq::shown_layer()
  std::size_t head = 0;   ///< from 1; 0: the mean over all
};

/// [T + 1, S] of `maps`, which has the cross attention of `model`. Requires: there is such a map.
[[nodiscard]] torch::Tensor chosen_map(const AttentionMaps& maps, const model::Seq2Seq& model,
                                       const CrossMap& choice);

}  // namespace attend::decode
