#pragma once
#include <torch/types.h>

#include <span>
#include <vector>

#include "data/batch.h"
#include "decode/attention/attention_maps.h"
#include "model/seq2seq.h"

namespace attend::decode {

/// Shares of the tokens that a decoder has read in the vector of each target position: float on the
/// CPU, not negative. The rows of both together sum to 1.
struct TokenShares {
  torch::Tensor source;  ///< [T + 1, S]
  torch::Tensor target;  ///< [T + 1, T + 1]: column t is the t-th token read, kBos first; entries
                         ///< above the diagonal are 0
};

/// The interactions of a Transformer's layers for one pair (model/transformer/attention_sum.h), on
/// the CPU and without padding, lowest layer first.
struct LayerInteractions {
  std::vector<torch::Tensor> encoder;  ///< [S, S]
  std::vector<torch::Tensor> self;     ///< [T + 1, T + 1]
  std::vector<torch::Tensor> cross;    ///< [T + 1, 1 + S]: the residual connection, then the source
};

/// Aggregates interactions over the layers, as attention rollout does with weights. A row divided
/// by its sum has the shares of one layer; a row of zeros counts as residual connection. With the
/// matrices E of the encoder's layers, A of self-attention, and r and X of attention to the source,
/// the shares after layer l of the decoder are
///   source_l = X_l E_L ... E_1 + r_l A_l source_(l-1),  source_0 = 0,
///   target_l = r_l A_l target_(l-1),                    target_0 = I
/// where r_l scales rows (ALTI: Ferrando, Gallego & Costa-jussa 2022, arXiv 2203.04212; ALTI+ for
/// encoders and decoders: Ferrando et al. 2022, arXiv 2205.11631). Feed-forward networks and final
/// norms change each position by itself and count as identity. Returns the shares of each layer of
/// the decoder, lowest first. Requires: at least one layer of the decoder.
[[nodiscard]] std::vector<TokenShares> interaction_rollout(const LayerInteractions& layers);

/// interaction_rollout() of each pair. `targets` are without kBos and kEos (may be empty). Throws
/// std::logic_error if `model` is in training mode or has Seq2Seq::interaction_obstacles(), or if
/// the sizes differ.
[[nodiscard]] std::vector<std::vector<TokenShares>> alti(
    const model::Seq2Seq& model, const data::SentenceBatch& source,
    std::span<const std::vector<text::TokenId>> targets);

/// The source shares of each pair after one layer of the decoder, [T + 1, S]. Requires: the layer
/// exists, and choice.head is 0.
[[nodiscard]] std::vector<torch::Tensor> alti(const model::Seq2Seq& model,
                                              const data::SentenceBatch& source,
                                              std::span<const std::vector<text::TokenId>> targets,
                                              const CrossMap& choice);

}  // namespace attend::decode
