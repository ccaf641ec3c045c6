#pragma once
#include <torch/types.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "data/batch.h"
#include "model/seq2seq.h"

namespace attend::decode {

/// Which attention is asked for.
struct AttentionKinds {
  bool encoder = false;         ///< of the source to itself
  bool decoder = false;         ///< of the target to itself
  bool cross = false;           ///< of the target to the source
  bool encoder_memory = false;  ///< of the heads of a cell with a memory, in the encoder
  bool decoder_memory = false;  ///< and in the decoder

  [[nodiscard]] bool any() const {
    return encoder || decoder || cross || encoder_memory || decoder_memory;
  }
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
  KindMaps encoder_memory = {};  ///< [S, M]: the memory's slots, after each word was read
  KindMaps decoder_memory = {};  ///< [T + 1, M]: as each token is predicted
};

/// Where one kind is in all that speaks of kinds.
struct KindPlaces {
  const char* name;  ///< one of align::attention_kind_names()
  bool AttentionKinds::*asked;
  model::LayerHeads model::AttentionHeads::*heads;
  KindMaps AttentionMaps::*maps;
};

/// In the order of align::attention_kind_names().
inline constexpr std::array<KindPlaces, 5> kKindPlaces{{
    {"encoder", &AttentionKinds::encoder, &model::AttentionHeads::encoder, &AttentionMaps::encoder},
    {"decoder", &AttentionKinds::decoder, &model::AttentionHeads::decoder, &AttentionMaps::decoder},
    {"cross", &AttentionKinds::cross, &model::AttentionHeads::cross, &AttentionMaps::cross},
    {"encoder_memory", &AttentionKinds::encoder_memory, &model::AttentionHeads::encoder_memory,
     &AttentionMaps::encoder_memory},
    {"decoder_memory", &AttentionKinds::decoder_memory, &model::AttentionHeads::decoder_memory,
     &AttentionMaps::decoder_memory},
}};

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
