#pragma once
#include <torch/types.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "data/batch.h"
#include "model/seq2seq.h"

namespace attend::decode {

/// Selects kinds of attention.
struct AttentionKinds {
  bool encoder = false;         ///< source to source
  bool decoder = false;         ///< target to target
  bool cross = false;           ///< target to source
  bool encoder_memory = false;  ///< heads of an encoder cell with a memory
  bool decoder_memory = false;  ///< heads of a decoder cell with a memory

  [[nodiscard]] bool any() const {
    return encoder || decoder || cross || encoder_memory || decoder_memory;
  }
};

/// The attention of one kind for one pair: float on the CPU, without padding.
struct KindMaps {
  std::vector<torch::Tensor> layers;  ///< [heads, rows, columns] each, lowest first
  torch::Tensor rollout;              ///< [rows, columns]; undefined: none
};

/// All attention of one pair with S source tokens (kEos included) and T target tokens.
struct AttentionMaps {
  KindMaps encoder;  ///< [S, S]
  KindMaps decoder;  ///< [T + 1, T + 1]: row t predicts token t (kEos last), column t is the t-th
                     ///< token read (kBos first); entries above the diagonal are 0
  KindMaps cross;    ///< [T + 1, S]
  KindMaps encoder_memory = {};  ///< [S, M]: over the memory's slots after each source word
  KindMaps decoder_memory = {};  ///< [T + 1, M]: over the slots when each token is predicted
};

/// The members that hold one kind of attention in AttentionKinds, AttentionHeads and AttentionMaps.
struct KindPlaces {
  const char* name;  ///< one of align::attention_kind_names()
  bool AttentionKinds::*asked;
  model::LayerHeads model::AttentionHeads::*heads;
  KindMaps AttentionMaps::*maps;
};

/// The kinds in the order of align::attention_kind_names().
inline constexpr std::array<KindPlaces, 5> kKindPlaces{{
    {"encoder", &AttentionKinds::encoder, &model::AttentionHeads::encoder, &AttentionMaps::encoder},
    {"decoder", &AttentionKinds::decoder, &model::AttentionHeads::decoder, &AttentionMaps::decoder},
    {"cross", &AttentionKinds::cross, &model::AttentionHeads::cross, &AttentionMaps::cross},
    {"encoder_memory", &AttentionKinds::encoder_memory, &model::AttentionHeads::encoder_memory,
     &AttentionMaps::encoder_memory},
    {"decoder_memory", &AttentionKinds::decoder_memory, &model::AttentionHeads::decoder_memory,
     &AttentionMaps::decoder_memory},
}};

/// Returns the attention of every layer and head for given targets (without kBos and kEos; may be
/// empty). Adds rollout() for a decoder's self-attention, and for an encoder's if it is a stack of
/// self-attention layers on words. The rollout of cross attention is the mean over the heads of the
/// shown layer times the encoder's rollout: attention to words rather than to encoded positions.
/// Kinds that were not requested, or that the model lacks, stay empty. Throws std::logic_error if
/// `model` is in training mode or `source` and `targets` differ in size, NumericError if weights
/// are not finite.
[[nodiscard]] std::vector<AttentionMaps> attention_maps(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets, const AttentionKinds& kinds);

/// Selects one map of the cross attention.
struct CrossMap {
  std::size_t layer = 0;  ///< from 1, lowest; 0: Seq2Seq::shown_layer()
  std::size_t head = 0;   ///< from 1; 0: the mean over all heads
};

/// Returns the chosen map, [T + 1, S]. Requires: `maps` has the cross attention of `model`, and the
/// layer and head exist.
[[nodiscard]] torch::Tensor chosen_map(const AttentionMaps& maps, const model::Seq2Seq& model,
                                       const CrossMap& choice);

}  // namespace attend::decode
