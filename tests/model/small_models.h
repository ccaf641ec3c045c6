#pragma once
// Models small enough for central differences. All sizes differ.
#include <memory>
#include <vector>

#include "data/batch.h"
#include "model/seq2seq.h"

namespace attend::test {

inline constexpr int64_t kSourceVocabulary = 11, kTargetVocabulary = 9;

/// Embedding 3, encoder 4 per direction, decoder 5, attention 7, one layer, no dropout.
[[nodiscard]] model::ModelOptions small_options(model::WiringKind wiring, nn::CellKind cell);

/// A model with these types of encoder and decoder. Embedding 5, encoder of width 6 with 3 heads,
/// decoder of width 8 with 2 heads and 4 to the source (2 if recurrent), feed-forward networks of 7
/// and 9, two layers; the rest as in small_options().
[[nodiscard]] model::ModelOptions transformer_options(
    const model::EncoderOptions& encoder = model::TransformerEncoderOptions(),
    const model::DecoderOptions& decoder = model::TransformerDecoderOptions());

// The options of one family, for changing them. Throws std::bad_variant_access for another family.
[[nodiscard]] model::RecurrentEncoderOptions& recurrent_encoder(model::ModelOptions& options);
[[nodiscard]] model::RecurrentDecoderOptions& recurrent_decoder(model::ModelOptions& options);
[[nodiscard]] model::TransformerEncoderOptions& transformer_encoder(model::ModelOptions& options);
[[nodiscard]] model::TransformerDecoderOptions& transformer_decoder(model::ModelOptions& options);
/// The options of a decoder that is a stack of transformer layers.
[[nodiscard]] model::StackDecoderOptions& stack_decoder(model::ModelOptions& options);

/// One decoder of each type. stack_decoders(): only stacks of transformer layers; unit_decoders():
/// only those with a recurrent unit.
[[nodiscard]] std::vector<model::DecoderOptions> all_decoders();
[[nodiscard]] std::vector<model::DecoderOptions> stack_decoders();
[[nodiscard]] std::vector<model::DecoderOptions> unit_decoders();

/// The model in float64 with random values for every parameter, in eval mode.
[[nodiscard]] std::shared_ptr<model::Seq2Seq> small_model(const model::ModelOptions& options,
                                                          uint64_t seed = 3);

/// A batch of the given sentences, padded.
[[nodiscard]] data::SentenceBatch sentences(const std::vector<std::vector<text::TokenId>>& ids);

/// Three pairs: sources of 5, 3 and 1 pieces, targets of 2, 4 and 3, including the end symbols.
struct Pairs {
  data::SentenceBatch source;
  data::SentenceBatch target_input;
  torch::Tensor target_output;
};
[[nodiscard]] Pairs three_pairs();
/// The same targets with two concatenated sources each, of 6, 4 and 2 pieces.
[[nodiscard]] Pairs three_pairs_of_two_sources();

/// Row i of the result is row rows[i] of `batch`.
[[nodiscard]] data::SentenceBatch select(const data::SentenceBatch& batch,
                                         const torch::Tensor& rows);

/// The same batch, padded to its longest row plus `extra`.
[[nodiscard]] data::SentenceBatch repadded(const data::SentenceBatch& batch, int64_t extra);

/// Log-probabilities [B, T, V] of the whole decoder under teacher forcing.
[[nodiscard]] torch::Tensor log_probs(const model::Seq2Seq& model, const model::Decoded& decoded);

/// Label-smoothed cross-entropy per target token, without padding.
[[nodiscard]] torch::Tensor mean_loss(const model::Seq2Seq& model, const Pairs& pairs);

}  // namespace attend::test
